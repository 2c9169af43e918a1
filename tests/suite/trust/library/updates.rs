//! An application's year.

use spindrift_client::{Error, HttpSettings, HttpTransport, TrustError};
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::place::Places;
use spindrift_tests::trust::web::{Reply, Web};

use super::{days_ago, is, offering, package, refusal, repository};

/// Where bytes come from, whoever has them.
const FILES: &str = "https://anywhere.example/";

#[test]
fn an_update_is_found_and_downloaded_from_anywhere() {
    let (web, repository, target) = offering(1);
    web.show(FILES, &repository.files);
    let app = App::new(&web, repository.root());
    let trusted = app.update().unwrap();
    assert_eq!(trusted.version, "1.1.0");
    let bytes = app.download(&trusted, &format!("{FILES}{}", target.name)).unwrap();
    assert_eq!(bytes, target.bytes);
    is(app.update(), &target);
}

#[test]
fn other_bytes_are_no_file() {
    let (web, repository, target) = offering(1);
    let app = App::new(&web, repository.root());
    let trusted = app.update().unwrap();
    let url = format!("{FILES}x");
    let serve = |bytes: Vec<u8>| web.behave(FILES, move |_| Reply::File(bytes.clone()));

    let mut changed = target.bytes.clone();
    changed[0] ^= 1;
    serve(changed);
    assert!(matches!(app.download(&trusted, &url), Err(Error::WrongDigest { .. })));
    serve([&target.bytes[..], b"!"].concat());
    assert!(matches!(app.download(&trusted, &url), Err(Error::WrongLength { .. })));
    web.behave(FILES, |_| Reply::Endless);
    assert!(matches!(app.download(&trusted, &url), Err(Error::WrongLength { .. })));
}

#[test]
fn a_publish_is_found_by_who_has_looked_before() {
    let (web, mut repository, _) = offering(2);
    let app = App::new(&web, repository.root());
    app.refresh().unwrap();
    let next = package("stable", "1.2.0");
    repository.publish([next.clone()], days_ago(0));
    web.serve(&repository);
    web.offer(Some("1.2.0"));
    is(app.update(), &next);
}

#[test]
fn only_what_is_newer_is_trusted() {
    let (web, repository, _) = offering(1);
    let app = App::new(&web, repository.root());
    // Both are listed, and 1.0.0 is installed.
    for older in ["1.0.0", "v1.0", "0.9.0"] {
        web.offer(Some(older));
        let not_newer = matches!(refusal(app.update()), TrustError::NotNewer { .. });
        assert!(not_newer, "{older}");
    }
    web.offer(None);
    assert_eq!(app.check(), None);
    web.offer(Some("latest"));
    assert_eq!(refusal(app.update()), TrustError::InvalidVersion);
    web.offer(Some("1.3.0"));
    assert_eq!(refusal(app.update()), TrustError::NotListed { version: "1.3.0".to_owned() });
}

#[test]
fn a_file_that_another_updater_has_brought_is_verified() {
    let (web, repository, target) = offering(1);
    let app = App::new(&web, repository.root());
    is(app.verify("1.1.0", "zip", &target.bytes), &target);
    let same_length = vec![b'x'; target.bytes.len()];
    assert!(matches!(app.verify("1.1.0", "zip", &same_length), Err(Error::WrongDigest { .. })));
    assert!(matches!(app.verify("1.1.0", "zip", b""), Err(Error::WrongLength { .. })));
    let older = package("stable", "1.0.0").bytes;
    assert!(matches!(refusal(app.verify("1.0.0", "zip", &older)), TrustError::NotNewer { .. }));
    assert!(matches!(refusal(app.verify("1.1.0", "msi", &target.bytes)), TrustError::OtherScope { .. }));
    assert_eq!(refusal(app.verify("1.1.0", "a/b", &target.bytes)), TrustError::InvalidPackage);
}

#[test]
fn it_works_over_http_at_the_service_and_at_the_bucket() {
    let target = package("stable", "1.1.0");
    let repository = repository(1, &target);
    let places = Places::of(&repository);
    for place in places.both() {
        let settings = HttpSettings { proxies: false, ..HttpSettings::default() };
        let transport = HttpTransport::new(&settings).unwrap();
        let app = App::over(transport, Web::SERVICE, repository.root());
        let app = app.with(|config| config.with_mirrors([place.metadata.as_str()]));
        is(app.verify("1.1.0", "zip", &target.bytes), &target);
        is(app.verify("1.1.0", "zip", &target.bytes), &target);
    }
}

#[test]
fn what_an_application_is_built_with_is_checked_at_once() {
    let (web, repository, _) = offering(1);
    let refused = |root: &[u8]| refusal(App::new(&web, root).try_trust());
    let text = std::str::from_utf8(repository.root()).unwrap();
    // A newer timestamp, no JSON, and a root that its keys have not signed.
    let changed = text.replace("1.0.31", "1.0.30");
    for root in [&repository.metadata["timestamp.json"][..], b"", changed.as_bytes()] {
        assert!(matches!(refused(root), TrustError::InvalidRoot(_)));
    }
    let app = App::new(&web, repository.root()).installed(|options| {
        let mut options = options;
        options.version = "newest".to_owned();
        options
    });
    assert_eq!(refusal(app.try_trust()), TrustError::InvalidVersion);
}
