//! Tauri 2.

use serde_json::json;
use spindrift_tests::native_clients::tauri::{SigningKey, TauriApp};
use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{acme, path, program, roll_out};
use crate::download_modes::regenerate;

on_hosts! {
    every: [
        a_signed_artifact_is_downloaded_and_verified,
        a_signature_for_another_version_is_refused,
        there_may_be_nothing_newer,
        a_required_version_comes_first,
        a_private_app_updates_with_its_token,
    ],
}

/// A release of one artifact with this signature, for the architecture as Tauri calls it.
fn release(version: &str, file: &str, signature: &str) -> Release {
    let release = Release::empty(version).with("arch", "x86_64").with("updater", "tauri");
    release.file(file, artifact(version, file)).with("signature", signature)
}

fn artifact(version: &str, file: &str) -> Vec<u8> {
    [file.as_bytes(), &program(version)].concat()
}

fn signed(key: &SigningKey, version: &str, file: &str) -> Release {
    release(version, file, &key.sign(&artifact(version, file), file, version))
}

/// The owner, with the architecture.
fn owner(world: &World) -> spindrift_tests::Account {
    let acme = acme(world);
    acme.create_arch("x86_64");
    acme
}

/// An app with one endpoint for all its versions and targets.
fn app(world: &World, version: &str, key: &SigningKey) -> TauriApp {
    let path = path("{{target}}", "{{current_version}}", "tauri.json?bundle_type={{bundle_type}}");
    let endpoint = format!("{}{}", world.url(), path.replace("amd64", "{{arch}}"));
    TauriApp { require_signed_version: true, ..TauriApp::new(&endpoint, version, &key.public_key()) }
}

fn a_signed_artifact_is_downloaded_and_verified(host: Driver) {
    let world = World::new(host);
    let acme = owner(&world);
    let key = SigningKey::generate();
    acme.publish(signed(&key, "1.1.0", "Notes 1.1.0.AppImage").with("changelog", "Faster"));
    acme.publish(signed(&key, "1.1.0", "notes.deb"));

    for (bundle, file) in [("appimage", "Notes 1.1.0.AppImage"), ("deb", "notes.deb")] {
        let app = TauriApp { bundle: bundle.to_owned(), ..app(&world, "1.0.0+7", &key) };
        let offer = app.check().unwrap().unwrap();
        assert_eq!((offer.version.to_string().as_str(), offer.notes.as_deref()), ("1.1.0", Some("Faster")));
        assert!(offer.date.is_some());
        assert_eq!(app.download(&offer).unwrap(), artifact("1.1.0", file));
        let stranger = TauriApp { public_key: SigningKey::generate().public_key(), ..app };
        assert!(stranger.download(&offer).is_err());
    }
}

fn a_signature_for_another_version_is_refused(host: Driver) {
    let world = World::new(host);
    let acme = owner(&world);
    let (key, file) = (SigningKey::generate(), "notes.AppImage");
    let bytes = artifact("1.1.0", file);

    let wrong = release("1.1.0", file, &key.sign(&bytes, file, "1.0.0"));
    assert_eq!(acme.init(&wrong).refusal(), (400, "signature: made for another version".into()));
    acme.publish(release("1.1.0", file, &key.sign_without_version(&bytes, file)));
    let mut app = app(&world, "1.0.0", &key);
    let offer = app.check().unwrap().unwrap();
    assert_eq!(app.download(&offer).unwrap_err(), "the signature names no version");
    app.require_signed_version = false;
    assert_eq!(app.download(&offer).unwrap(), bytes);
}

fn there_may_be_nothing_newer(host: Driver) {
    let world = World::new(host);
    let acme = owner(&world);
    let key = SigningKey::generate();
    acme.publish(signed(&key, "1.0.0", "notes.AppImage"));
    let newest = acme.publish(signed(&key, "1.1.0", "notes.AppImage").rollout(0));

    assert_eq!(app(&world, "1.0.0", &key).check(), Ok(None), "held back");
    roll_out(&acme, &newest, 100);
    assert!(app(&world, "1.0.0", &key).check().unwrap().is_some());
    for installed in ["1.1.0", "2.0.0"] {
        assert_eq!(app(&world, installed, &key).check(), Ok(None), "{installed}");
    }
    let error = TauriApp { target: "plan9".to_owned(), ..app(&world, "1.0.0", &key) }.check().unwrap_err();
    assert_eq!(error, "Could not fetch a valid release JSON from the remote");
}

fn a_required_version_comes_first(host: Driver) {
    let world = World::new(host);
    let acme = owner(&world);
    let key = SigningKey::generate();
    acme.publish(signed(&key, "1.1.0", "notes.AppImage").intermediate());
    acme.publish(signed(&key, "1.2.0", "notes.AppImage"));

    for (installed, next) in [("1.0.0", "1.1.0"), ("1.1.0", "1.2.0")] {
        let app = app(&world, installed, &key);
        let offer = app.check().unwrap().unwrap();
        assert_eq!(offer.version.to_string(), next);
        assert_eq!(app.download(&offer).unwrap(), artifact(next, "notes.AppImage"));
    }
}

/// The token is in the endpoint, as the publisher wrote it into the app's configuration.
fn a_private_app_updates_with_its_token(host: Driver) {
    let world = World::new(host);
    let acme = owner(&world);
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let (key, file) = (SigningKey::generate(), "notes.AppImage");
    acme.publish(signed(&key, "1.1.0", file).with("app_name", "secret"));
    let token = regenerate(&acme, "secret", None);
    let bare = app(&world, "1.0.0", &key);
    let endpoint = bare.endpoints[0].replace("/notes/", "/secret/");
    let with = |endpoint: String| TauriApp { endpoints: vec![endpoint], ..bare.clone() };

    let app = with(format!("{endpoint}&download_token={token}"));
    let offer = app.check().unwrap().unwrap();

    assert_eq!(app.download(&offer).unwrap(), artifact("1.1.0", file));
    let without = with(endpoint);
    let offer = without.check().unwrap().unwrap();
    assert!(without.download(&offer).unwrap_err().contains("401"));
}
