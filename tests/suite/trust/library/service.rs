//! The library at a service.

use serde_json::json;
use spindrift_client::{Error, HttpSettings, HttpTransport};
use spindrift_tests::trust::app::App;
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

use super::super::{APP, OWNER, acme, uploaded, with_scope};
use super::{days_ago, is};
use crate::download_modes::regenerate;

on_hosts! {
    every: [an_update_is_found_verified_and_downloaded, a_private_application_needs_its_token],
}

fn deb(version: &str) -> TestTarget {
    let key = format!("acme/notes/stable/linux/amd64/notes-{version}.deb");
    uploaded(&key, &format!("notes {version}"), version)
}

/// A service with two releases, both listed, and an installation of the first.
fn installed(world: &World, acme: &Account) -> (TestRepository, App) {
    for version in ["1.0.0", "2.0.0"] {
        acme.publish(Release::new(version).with_digests());
    }
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(2));
    repository.publish([deb("1.0.0"), deb("2.0.0")], days_ago(1));
    serve(world, &acme.app_id(APP), &repository);
    let settings = HttpSettings { proxies: false, ..HttpSettings::default() };
    let app = App::over(HttpTransport::new(&settings).unwrap(), &world.url(), repository.root());
    let app = app.installed(|options| options.with_target("stable", "linux", "amd64"));
    (repository, app)
}

fn an_update_is_found_verified_and_downloaded(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (mut repository, app) = installed(&world, &acme);
    let update = app.check().unwrap();
    let trusted = app.update_of("deb").unwrap();
    assert_eq!(trusted.version, "2.0.0");
    let link = update.url_of("deb").unwrap();
    assert_eq!(app.download(&trusted, link).unwrap(), deb("2.0.0").bytes);

    // The service swaps what it has.
    let other = TestTarget { bytes: b"notes X.0.0".to_vec(), ..deb("2.0.0") };
    repository.relabel("targets", &other, days_ago(0));
    serve(&world, &acme.app_id(APP), &repository);
    let trusted = app.update_of("deb").unwrap();
    assert!(matches!(app.download(&trusted, link), Err(Error::WrongDigest { .. })));
}

fn a_private_application_needs_its_token(host: Driver) {
    let world = World::new(host);
    let acme = world.admin(OWNER);
    acme.create_app_with(json!({ "app": APP, "tuf": true, "private": true, "download_mode": "token" }));
    with_scope(&acme);
    let (_, app) = installed(&world, &acme);
    let target = deb("2.0.0");
    let Err(Error::RequestFailed(error)) = app.verify("2.0.0", "deb", &target.bytes) else {
        panic!("it needs a token");
    };
    assert_eq!(error.status, Some(401));
    let token = regenerate(&acme, APP, None).parse().unwrap();
    let app = app.with(|config| config.with_download_token(token));
    is(app.verify("2.0.0", "deb", &target.bytes), &target);
}
