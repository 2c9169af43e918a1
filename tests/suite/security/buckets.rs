//! Attackers that read or write the buckets behind the service's back.

use spindrift_tests::native_clients::sparkle::{self, SparkleApp};
use spindrift_tests::native_clients::squirrel::SquirrelApp;
use spindrift_tests::native_clients::tauri::{self, TauriApp};
use spindrift_tests::{Client, Driver, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, World, on_hosts, squirrel};

use crate::feeds::{acme, path};

on_hosts! {
    every: [
        a_draft_of_a_public_application_lies_in_the_open,
        an_unsigned_link_chooses_no_headers_of_the_answer,
        changed_bytes_reach_clients_that_compare_nothing,
        changed_bytes_are_refused_by_updaters_that_compare,
    ],
}

/// Writes other bytes, of the same number, over every object in the public bucket.
fn change_every_object(world: &World) {
    let store = world.store();
    let keys = store.keys(PUBLIC_BUCKET, "");
    assert!(!keys.is_empty());
    for key in keys {
        let bytes: Vec<u8> = store.object(PUBLIC_BUCKET, &key).unwrap().iter().map(|byte| !byte).collect();
        store.write(PUBLIC_BUCKET, &key, &bytes);
    }
}

/// Nothing names a draft, but anybody who guesses its address can read it.
fn a_draft_of_a_public_application_lies_in_the_open(host: Driver) {
    let world = World::new(host);
    let owner = world.admin("acme").with_notes();
    owner.create_app_with(serde_json::json!({ "app": "secret", "private": true }));
    owner.upload(&Release::new("1.0.0"));
    owner.upload(&Release::new("1.0.0").with("app_name", "secret"));
    let guess = |bucket: &str, app: &str| {
        let address =
            format!("{}/{bucket}/acme/{app}/stable/linux/amd64/{app}-1.0.0.deb", world.store().url());
        Client::new("").get(&address).send().status
    };

    assert_eq!(owner.check("0.9.0")["update_available"], false);
    assert_eq!(guess(PUBLIC_BUCKET, "notes"), 200);
    assert_eq!(guess(PRIVATE_BUCKET, "secret"), 403);
}

/// The storage of one machine. Otherwise a link could show a published file as a page.
fn an_unsigned_link_chooses_no_headers_of_the_answer(host: Driver) {
    let world = World::new(host);
    let owner = world.admin("acme").with_notes();
    owner.publish(Release::empty("1.0.0").published().file("notes.html", "<script>"));
    let answer = owner.check("0.9.0");
    let link = answer["update_url_html"].as_str().unwrap();
    let get = |query: &str| Client::new("").get(&format!("{link}{query}")).send();

    for query in ["?response-content-type=text/html", "?response-content-disposition=inline"] {
        assert_eq!(get(query).status, 400, "{query}");
    }
    let plain = get("").expect(200);
    assert_eq!(plain.header("content-type"), "application/octet-stream");
    assert_eq!(plain.header("x-content-type-options"), "nosniff");
}

fn changed_bytes_reach_clients_that_compare_nothing(host: Driver) {
    let world = World::new(host);
    let owner = world.admin("acme").with_notes();
    owner.publish(Release::new("1.0.0"));

    change_every_object(&world);

    let answer = owner.check("0.9.0");
    let got = Client::new("").get(answer["update_url_deb"].as_str().unwrap()).send().expect(200);
    assert_ne!(got.text(), "notes 1.0.0");
}

/// The service tells Squirrel.Windows the digest; Tauri and Sparkle have a key of the publisher.
fn changed_bytes_are_refused_by_updaters_that_compare(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let (tauri_key, sparkle_key) = (tauri::SigningKey::generate(), sparkle::SigningKey::generate());
    acme.publish(squirrel("1.0.0", &[]));
    let signature = tauri_key.sign(b"an image", "notes.AppImage", "1.0.0");
    let image = Release::empty("1.0.0").file("notes.AppImage", "an image").with("updater", "tauri");
    acme.publish(image.with("signature", signature));
    let archive =
        sparkle::Archive { file_name: "n.zip", version: "1.0.0", build: "9", bytes: b"a zip", more: "" };
    let mac = Release::empty("1.0.0").with("platform", "darwin").with("updater", "sparkle");
    let feed = sparkle::appcast("Notes", &[archive], &sparkle_key);
    acme.publish(mac.file("n.zip", "a zip").feed("appcast.xml", feed));

    let base = |platform: &str, file: &str| format!("{}{}", world.url(), path(platform, "0.9.0", file));
    let windows = SquirrelApp {
        base: base("windows", ""),
        id: "Notes".to_owned(),
        version: Some("0.9.0".to_owned()),
        beta_id: None,
    };
    let linux = TauriApp::new(&base("linux", "tauri.json"), "0.9.0", &tauri_key.public_key());
    let mac = SparkleApp::new(&base("darwin", "appcast.xml"), "1", &sparkle_key.public_key());
    let gets = || {
        let package = windows.check().unwrap().newest;
        let (image, archive) = (linux.check().unwrap().unwrap(), mac.check().unwrap().unwrap());
        [windows.download(&package).is_ok(), linux.download(&image).is_ok(), mac.download(&archive).is_ok()]
    };
    assert_eq!(gets(), [true; 3]);
    change_every_object(&world);
    assert_eq!(gets(), [false; 3]);
}
