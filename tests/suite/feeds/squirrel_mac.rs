//! Squirrel.Mac.

use spindrift_tests::{Driver, Release, World, on_hosts};

use super::{acme, ask, fetch};

on_hosts! {
    every: [
        an_update_is_200_and_no_update_204,
        the_newest_release_with_a_zip_is_offered,
        a_rollout_is_decided_by_the_service,
        a_private_zip_goes_through_download,
    ],
}

fn mac(version: &str) -> Release {
    let release = Release::empty(version).with("platform", "darwin").with("updater", "squirrel_darwin");
    release.file("Notes.zip", format!("zip {version}")).file("Notes.dmg", "an image")
}

fn an_update_is_200_and_no_update_204(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    assert_eq!(ask(&world, "darwin", "1.0.0", "squirrel.json").refusal(), (404, "release not found".into()));
    acme.publish(mac("1.1.0").with("changelog", "Faster"));

    let update = ask(&world, "darwin", "1.0.0", "squirrel.json").expect(200);
    assert_eq!(update.header("content-type"), "application/json");
    let body = update.json();
    assert_eq!((&body["name"], &body["notes"]), (&"1.1.0".into(), &"Faster".into()));
    let zip = fetch(body["url"].as_str().unwrap()).expect(200);
    assert_eq!(zip.text(), "zip 1.1.0");
    let date = body["pub_date"].as_str().unwrap();
    assert!(!date.contains('.') && date.ends_with("+00:00"), "{date}");
    for version in ["1.1.0", "1.2.0"] {
        let answer = ask(&world, "darwin", version, "squirrel.json");
        assert_eq!((answer.status, answer.text().as_str()), (204, ""), "{version}");
    }
}

fn the_newest_release_with_a_zip_is_offered(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(mac("1.1.0"));
    acme.publish(
        Release::empty("1.2.0")
            .with("platform", "darwin")
            .with("updater", "tauri")
            .file("n.app.tar.gz", "x")
            .with("signature", spindrift_tests::tauri_signature(None)),
    );

    let body = ask(&world, "darwin", "1.0.0", "squirrel.json").expect(200).json();
    assert_eq!(body["version"], "1.1.0");
}

fn a_rollout_is_decided_by_the_service(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(mac("1.0.0"));
    acme.publish(mac("1.1.0").rollout(50));

    let body = ask(&world, "darwin", "0.1", "squirrel.json").expect(200).json();
    assert_eq!(body["version"], "1.0.0", "a client that cannot decide is left out");
    let offered = |n: usize| {
        let call = world.get(&super::path("darwin", "0.1", "squirrel.json"));
        call.header("x-device-id", &format!("device-{n}")).send().expect(200).json()["version"].clone()
    };
    let offered: Vec<_> = (0..30).map(offered).collect();
    assert!(offered.iter().any(|version| version == "1.1.0"));
    assert!(offered.iter().any(|version| version == "1.0.0"));
}

fn a_private_zip_goes_through_download(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app_with(serde_json::json!({ "app": "secret", "private": true }));
    acme.publish(mac("1.1.0").with("app_name", "secret"));

    let path = super::path("darwin", "1.0.0", "squirrel.json").replace("notes", "secret");
    let body = world.get(&path).send().expect(200).json();

    let url = body["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("{}/download?key=", world.url())), "{url}");
    let _ = acme.get(&url[world.url().len()..]).send().expect(302);
}
