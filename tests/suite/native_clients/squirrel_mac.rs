//! Squirrel.Mac.

use serde_json::json;
use spindrift_tests::native_clients::nupkg::zip;
use spindrift_tests::native_clients::squirrel_mac::{check, download, download_delta};
use spindrift_tests::{Driver, Release, World, on_hosts, sha256_hex};

use super::{acme, base, program, roll_out};
use crate::download_modes::regenerate;

on_hosts! {
    every: [
        an_update_is_downloaded,
        there_may_be_nothing_newer,
        a_private_app_updates_with_its_token,
        a_delta_leads_from_the_running_version,
    ],
}

fn archive(version: &str) -> Vec<u8> {
    zip(&[("Notes.app/Contents/MacOS/Notes".to_owned(), program(version))])
}

fn release(version: &str) -> Release {
    let release = Release::empty(version).with("platform", "darwin").with("updater", "squirrel_darwin");
    release.file(&format!("Notes {version}-mac.zip"), archive(version))
}

fn feed(world: &World, version: &str) -> String {
    base(world, "darwin", version) + "squirrel.json"
}

fn an_update_is_downloaded(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0"));
    acme.publish(release("1.1.0").with("changelog", "Faster\n\"much\""));

    let update = check(&feed(&world, "1.0.0")).unwrap().unwrap();

    assert_eq!(update.name.as_deref(), Some("1.1.0"));
    assert_eq!(update.notes.as_deref(), Some("Faster\n\"much\""));
    assert!(update.date.is_some(), "a form that the client reads");
    assert_eq!(download(&update).unwrap(), archive("1.1.0"));
}

fn there_may_be_nothing_newer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(release("1.0.0"));
    let newest = acme.publish(release("1.1.0").rollout(0));

    assert_eq!(check(&feed(&world, "1.0.0")).unwrap(), None, "held back");
    roll_out(&acme, &newest, 100);
    assert!(check(&feed(&world, "1.0.0")).unwrap().is_some());
    for installed in ["1.1.0", "2.0.0"] {
        assert_eq!(check(&feed(&world, installed)).unwrap(), None, "{installed}");
    }
}

/// The token is in the address of the feed, as the publisher wrote it into the app.
fn a_private_app_updates_with_its_token(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    acme.publish(release("1.1.0").with("app_name", "secret"));
    let token = regenerate(&acme, "secret", Some("stable"));
    let feed = feed(&world, "1.0.0").replace("/notes/", "/secret/");

    let update = check(&format!("{feed}?download_token={token}")).unwrap().unwrap();

    assert_eq!(download(&update).unwrap(), archive("1.1.0"));
    let bare = check(&feed).unwrap().unwrap();
    assert!(download(&bare).unwrap_err().contains("401"));
}

/// The delta of a private application, so that its link has the token too.
fn a_delta_leads_from_the_running_version(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(json!({ "app": "secret", "private": true, "download_mode": "token" }));
    let patch = json!({
        "name": "Notes.from-1.0.0.patch", "package": "zip", "format": "binary-delta", "base_version": "1.0.0",
        "base_sha256": sha256_hex(&archive("1.0.0")),
    });
    let release = release("1.1.0").with("app_name", "secret").file("Notes.from-1.0.0.patch", "a delta");
    acme.publish(release.with("patches", json!([patch])).with_digests());
    let token = regenerate(&acme, "secret", Some("stable"));
    let update = |version: &str| {
        let feed = feed(&world, version).replace("/notes/", "/secret/");
        check(&format!("{feed}?download_token={token}")).unwrap().unwrap()
    };

    let offered = update("1.0.0");
    assert_eq!(download_delta(&offered, "1.0.0").unwrap().unwrap(), b"a delta");
    assert_eq!(offered.sha256, Some(sha256_hex(&archive("1.1.0"))));
    assert_eq!(download(&offered).unwrap(), archive("1.1.0"));
    assert_eq!(download_delta(&update("0.9.0"), "0.9.0").unwrap(), None);
}
