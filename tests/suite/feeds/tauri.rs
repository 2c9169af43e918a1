//! Tauri v2.

use serde_json::{Value, json};
use spindrift_tests::{Driver, Release, World, on_hosts, sha256_hex, tauri, tauri_signature};

use super::{acme, ask, fetch};

on_hosts! {
    every: [
        an_update_is_200_and_no_update_204,
        the_bundle_type_chooses_the_artifact,
        a_copy_is_offered_only_what_it_can_install,
        signatures_that_clients_would_refuse_are_refused,
        every_target_has_its_artifact,
        a_copy_gets_the_patch_from_its_version,
    ],
}

fn an_update_is_200_and_no_update_204(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(tauri("1.1.0", "notes.AppImage").with("changelog", "Faster"));

    let update = ask(&world, "linux", "1.0.0", "tauri.json").expect(200).json();
    assert_eq!(update["version"], "1.1.0");
    assert_eq!(update["notes"], "Faster");
    assert_eq!(update["signature"], tauri_signature(Some("1.1.0")));
    assert_eq!(fetch(update["url"].as_str().unwrap()).expect(200).text(), "notes.AppImage");
    assert_eq!(ask(&world, "linux", "1.1.0", "tauri.json").status, 204);
    assert_eq!(ask(&world, "linux", "v1.0.0%2B7", "tauri.json").status, 200, "build metadata does not order");
}

fn the_bundle_type_chooses_the_artifact(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(tauri("1.1.0", "notes.AppImage"));
    acme.publish(tauri("1.1.0", "notes.deb"));

    for (query, package) in [
        ("", "appimage"),
        ("?bundle_type=appimage", "appimage"),
        ("?bundle_type=deb", "deb"),
        ("?bundle_type=unknown", "appimage"),
    ] {
        let body = ask(&world, "linux", "1.0.0", &format!("tauri.json{query}")).expect(200).json();
        assert!(body["url"].as_str().unwrap().ends_with(&format!(".{package}")), "{query}: {body}");
    }
}

fn a_copy_is_offered_only_what_it_can_install(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(tauri("1.1.0", "notes.AppImage"));
    acme.publish(tauri("1.1.0", "notes.deb"));
    acme.publish(tauri("1.2.0", "notes.AppImage"));
    acme.publish(tauri("1.3.0", "notes.AppImage"));
    let asked = |version: &str, bundle: &str| {
        let answer = ask(&world, "linux", version, &format!("tauri.json?bundle_type={bundle}"));
        (answer.status == 200).then(|| answer.json()["version"].as_str().unwrap().to_owned())
    };

    assert_eq!(asked("1.0.0", "appimage").as_deref(), Some("1.3.0"));
    assert_eq!(asked("1.0.0", "deb").as_deref(), Some("1.1.0"), "the newest that it can install");
    assert_eq!(asked("1.1.0", "deb"), None);
    assert_eq!(asked("1.0.0", "rpm"), None);
    assert_eq!(asked("1.2.0", "unknown").as_deref(), Some("1.3.0"), "it does not say how it was installed");
    assert_eq!(ask(&world, "linux", "1.0.0", "tauri.json?bundle_type=rpm").status, 204);
}

fn signatures_that_clients_would_refuse_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let with = |signature: &str| tauri("1.1.0", "notes.AppImage").with("signature", signature);

    for (signature, text) in [
        ("https://example.com/notes.AppImage.sig", "signature: not the content of a .sig file"),
        ("bm90IGEgc2lnbmF0dXJl", "signature: not the content of a .sig file"),
        (&tauri_signature(Some("1.0.0")), "signature: made for another version"),
    ] {
        assert_eq!(acme.init(&with(signature)).refusal(), (400, text.into()));
        assert_eq!(acme.upload_in_one(&with(signature)).refusal(), (400, text.into()));
    }
    assert_eq!(acme.releases(), []);
    acme.publish(with(&format!("\n {}\r\n", tauri_signature(None))));
    let update = ask(&world, "linux", "1.0.0", "tauri.json").expect(200).json();
    assert_eq!(update["signature"], tauri_signature(None), "without white space around it");
}

fn every_target_has_its_artifact(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let list = acme.get("/platform/list").ok();
    let windows = list["platforms"].as_array().unwrap().iter().find(|p| p["PlatformName"] == "windows");
    let body = json!({ "id": windows.unwrap()["ID"], "updaters": [{ "type": "tauri" }] });
    let _ = acme.post_json("/platform/update", body).send().expect(200);
    for (platform, file) in
        [("darwin", "Notes.app.tar.gz"), ("linux", "notes.AppImage"), ("windows", "Notes-setup.exe")]
    {
        acme.publish(on(platform, file));
        let body = ask(&world, platform, "1.0.0", "tauri.json").expect(200).json();
        assert_eq!(fetch(body["url"].as_str().unwrap()).expect(200).text(), file);
    }
}

fn a_copy_gets_the_patch_from_its_version(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.publish(tauri("1.0.0", "notes.AppImage").with_digests());
    let name = "notes.AppImage.from-1.0.0.patch";
    let entry = json!({
        "name": name, "package": "appimage", "format": "bidiff+brotli", "base_version": "1.0.0",
        "base_sha256": sha256_hex(b"notes.AppImage"),
    });

    acme.publish(
        tauri("1.1.0", "notes.AppImage").file(name, "a patch").with_digests().with("patches", json!([entry])),
    );

    let patch =
        |version: &str| ask(&world, "linux", version, "tauri.json").expect(200).json()["patch"].clone();
    let offered = patch("1.0.0");
    let expected = json!({
        "url": offered["url"], "length": 7, "sha256": sha256_hex(b"a patch"), "format": "bidiff+brotli",
        "base_sha256": sha256_hex(b"notes.AppImage"), "file_length": 14, "file_sha256": sha256_hex(b"notes.AppImage"),
    });
    assert_eq!(offered, expected);
    assert_eq!(fetch(offered["url"].as_str().unwrap()).expect(200).text(), "a patch");
    assert_eq!(patch("0.9.0"), Value::Null);
}

/// One release for all platforms.
fn on(platform: &str, file: &str) -> Release {
    tauri("1.1.0", file).with("platform", platform)
}
