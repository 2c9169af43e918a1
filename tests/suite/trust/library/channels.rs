//! Channels with signers of their own.

use spindrift_client::TrustError;
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::key::{RootKeys, Signers};
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::{Channel, TestTarget};
use spindrift_tests::trust::web::Web;

use super::super::custom;
use super::{days_ago, is, is_refused, package, refusal};

/// `stable` and `beta` have signers of their own.
fn delegating() -> TestRepository {
    let mut repository = TestRepository::new("acme", "notes", RootKeys::generation(1), days_ago(3));
    for (name, seed) in [("stable", 200), ("beta", 201)] {
        let signers = Signers::one_of([seed]);
        repository.delegate(Channel { name: name.to_owned(), signers }, days_ago(3));
    }
    repository
}

fn serving(repository: &TestRepository) -> Web {
    let web = Web::default();
    web.serve(repository);
    web.offer(Some("1.1.0"));
    web
}

#[test]
fn what_a_channels_signers_list_is_trusted() {
    let target = package("stable", "1.1.0");
    let mut repository = delegating();
    repository.publish([target.clone(), package("beta", "1.1.0")], days_ago(1));
    let web = serving(&repository);
    let app = App::new(&web, repository.root());
    is(app.update(), &target);
    is(app.update(), &target);
    let kept = ["channel-beta", "channel-stable", "snapshot", "targets"].map(|role| repository.newest(role));
    let mut kept = kept.to_vec();
    kept.sort();
    assert_eq!(app.kept(), kept);
}

/// The name is of the signers' own channel, as it has to be, but the target says that it is for another one.
#[test]
fn what_they_say_of_another_channel_does_not_count() {
    let mut repository = delegating();
    let key = "acme/notes/beta/windows/amd64/notes-1.1.0.zip";
    let foreign = TestTarget::new(key, b"foreign", custom("stable", "1.1.0"));
    // `publish` would give it to the signers of `stable`.
    let as_beta = TestTarget { custom: custom("beta", "1.1.0"), ..foreign.clone() };
    repository.publish([as_beta], days_ago(2));
    repository.relabel("channel-beta", &foreign, days_ago(1));
    let web = serving(&repository);
    let app = App::new(&web, repository.root());
    assert_eq!(refusal(app.update()), TrustError::NotListed { version: "1.1.0".to_owned() });
    assert_eq!(app.withheld(), None);
}

/// The list of all comes before those of channels, so it is not a second target.
#[test]
fn a_name_in_two_lists_is_what_the_first_list_says() {
    let target = package("stable", "1.1.0");
    let mut repository = delegating();
    repository.publish([target.clone()], days_ago(2));
    let withdrawn = TestTarget { bytes: b"withdrawn".to_vec(), ..target.clone() };
    repository.relabel("channel-stable", &withdrawn, days_ago(1));
    repository.relabel("targets", &target, days_ago(1));
    let web = serving(&repository);
    let app = App::new(&web, repository.root());
    is(app.update(), &target);
}

#[test]
fn a_list_with_another_channels_name_is_refused() {
    let mut repository = delegating();
    let foreign = TestTarget { custom: custom("beta", "1.1.0"), ..package("stable", "1.1.0") };
    repository.publish([foreign], days_ago(1));
    let web = serving(&repository);
    let app = App::new(&web, repository.root());
    is_refused(app.update(), "Target file not delegated");
}

#[test]
fn lists_of_channels_that_are_not_current_are_removed() {
    let mut repository = delegating();
    repository.publish([package("stable", "1.1.0")], days_ago(2));
    let web = serving(&repository);
    let app = App::new(&web, repository.root());
    app.refresh().unwrap();
    let old = ["channel-stable", "snapshot"].map(|role| repository.newest(role));
    assert!(old.iter().all(|name| app.kept().contains(name)), "{:?}", app.kept());
    repository.publish([package("stable", "1.2.0")], days_ago(1));
    web.serve(&repository);
    app.refresh().unwrap();
    let kept = app.kept();
    assert!(!old.iter().any(|name| kept.contains(name)), "{kept:?}");
    assert!(kept.contains(&repository.newest("channel-stable")), "{kept:?}");

    repository.undelegate("stable", days_ago(0));
    web.serve(&repository);
    app.refresh().unwrap();
    assert!(app.kept().iter().all(|name| !name.contains("channel-stable")), "{:?}", app.kept());
    is(app.update(), &package("stable", "1.1.0"));
}
