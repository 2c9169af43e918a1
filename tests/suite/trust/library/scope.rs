//! Files that were signed, but for somebody else.

use serde_json::{Value, json};
use spindrift_client::TrustError;
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::web::Web;

use super::super::custom;
use super::{days_ago, is, package, refusal};

/// A service that offers 1.1.0 and lists these.
fn listing(targets: impl IntoIterator<Item = TestTarget>) -> (Web, TestRepository) {
    let mut repository = TestRepository::new("acme", "notes", RootKeys::generation(1), days_ago(1));
    repository.publish(targets, days_ago(1));
    let web = Web::default();
    web.serve(&repository);
    web.offer(Some("1.1.0"));
    (web, repository)
}

/// The target of 1.1.0 with one field changed; `null` takes it away.
fn but(field: &str, value: Value) -> TestTarget {
    let mut target = package("stable", "1.1.0");
    match value {
        Value::Null => drop(target.custom.as_object_mut().unwrap().remove(field)),
        value => target.custom[field] = value,
    }
    target
}

#[test]
fn a_file_for_others_is_refused() {
    let (web, repository) = listing([package("stable", "1.1.0")]);
    is(App::new(&web, repository.root()).update(), &package("stable", "1.1.0"));
    let other_scope = TrustError::OtherScope { version: "1.1.0".to_owned(), package: "zip".to_owned() };
    for (field, value) in [
        ("repository", json!("acme/other")),
        ("channel", json!("beta")),
        ("channel", Value::Null),
        ("platform", json!("darwin")),
        ("platform", Value::Null),
        ("arch", json!("arm64")),
        ("arch", Value::Null),
        ("package", json!("msi")),
    ] {
        let (web, repository) = listing([but(field, value)]);
        let app = App::new(&web, repository.root());
        assert_eq!(refusal(app.update()), other_scope, "{field}");
    }
}

#[test]
fn a_file_that_does_not_say_what_it_is_is_refused() {
    for (field, value) in [
        ("repository", Value::Null),
        ("version", Value::Null),
        ("version", json!(110)),
        ("version", json!("newest")),
        ("package", Value::Null),
        ("channel", json!(["stable"])),
    ] {
        let (web, repository) = listing([but(field, value)]);
        let app = App::new(&web, repository.root());
        assert_eq!(refusal(app.update()), TrustError::NotListed { version: "1.1.0".to_owned() }, "{field}");
    }
}

#[test]
fn the_list_of_another_application_with_the_same_signers_is_refused() {
    let (web, repository) = listing([package("stable", "1.1.0")]);
    let app = App::new(&web, repository.root()).with(|mut config| {
        config.repository = "acme/other".to_owned();
        config
    });
    web.show(&Web::metadata(&repository).replace("notes", "other"), &repository.metadata);
    assert!(matches!(refusal(app.update()), TrustError::OtherScope { .. }));
}

#[test]
fn two_files_that_fit_are_refused() {
    let first = package("stable", "1.1.0");
    let second = TestTarget::new("acme/notes/stable/windows/amd64/b.zip", b"b", custom("stable", "v1.1"));
    let (web, repository) = listing([first, second]);
    let app = App::new(&web, repository.root());
    assert!(matches!(refusal(app.update()), TrustError::Ambiguous { .. }));
}

/// A release may have a full and a delta package.
#[test]
fn either_of_two_packages_that_may_repeat_is_verified() {
    let nupkg = |file: &str| {
        let mut custom = custom("stable", "1.1.0");
        custom["package"] = json!("nupkg");
        let key = format!("velopack/acme/notes/1.1.0/stable/windows/amd64/{file}");
        TestTarget::new(&key, file.as_bytes(), custom)
    };
    let (full, delta) = (nupkg("notes-full.nupkg"), nupkg("notes-delta.nupkg"));
    let (web, repository) = listing([full.clone(), delta.clone()]);
    let app = App::new(&web, repository.root());
    is(app.verify("1.1.0", "nupkg", &full.bytes), &full);
    is(app.verify("1.1.0", "nupkg", &delta.bytes), &delta);
    assert!(app.verify("1.1.0", "nupkg", b"notes-other.nupkg").is_err());
    assert!(matches!(refusal(app.update_of("nupkg")), TrustError::Ambiguous { .. }));
}

#[test]
fn further_channels_are_accepted_if_the_application_says_so() {
    let beta = package("beta", "1.1.0");
    let (web, repository) = listing([beta.clone()]);
    let app = App::new(&web, repository.root());
    assert!(matches!(refusal(app.update()), TrustError::OtherScope { .. }));
    is(app.with(|config| config.with_accepted_channels(["beta"])).update(), &beta);
}

/// Names of dimensions that an application does not use are empty in its options and absent in metadata.
#[test]
fn an_application_may_have_no_dimensions() {
    let custom = json!({ "package": "no-extension", "repository": "acme/notes", "version": "1.1.0" });
    let target = TestTarget::new("acme/notes/default/default/default/notes", b"program", custom);
    let (web, repository) = listing([target.clone()]);
    let app = App::new(&web, repository.root()).installed(|options| options.with_target("", "", ""));
    is(app.update_of(""), &target);
}
