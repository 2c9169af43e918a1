//! Adding updaters to a platform and removing them.

use serde_json::{Value, json};
use spindrift_tests::{Account, Answer, Driver, Release, World, on_hosts};

use super::{assert_cut_off, with_devices};
use crate::defaults::entry;
use crate::telemetry::counting;

on_hosts! {
    every: [
        updaters_are_added_and_removed,
        a_list_in_place_of_the_old_one_does_not_drop_what_is_used,
        another_default_does_not_cut_off_copies_that_name_none,
        copies_that_are_never_counted_are_not_forgotten,
        where_nothing_is_counted_releases_count,
    ],
}

fn update(account: &Account, platform: &str, change: Value) -> Answer {
    let mut body = change;
    body["id"] = entry(account, "platform", platform)["ID"].clone();
    account.post_json("/platform/update", body).send()
}

/// The updaters, with a star after the default.
fn updaters(account: &Account, platform: &str) -> String {
    let entry = entry(account, "platform", platform);
    let shown = |one: &Value| {
        let mark = if one["default"] == true { "*" } else { "" };
        format!("{}{mark}", one["type"].as_str().unwrap())
    };
    entry["Updaters"].as_array().unwrap().iter().map(shown).collect::<Vec<_>>().join(" ")
}

fn updaters_are_added_and_removed(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_platform("linux");
    for (change, expected) in [
        (json!({ "add_updaters": ["electron-builder"] }), "manual* electron-builder"),
        (json!({ "add_updaters": [{ "type": "electron-builder" }] }), "manual* electron-builder"),
        (json!({ "add_updaters": [{ "type": "tauri", "default": true }] }), "manual electron-builder tauri*"),
        (json!({ "remove_updaters": ["electron-builder", "sparkle"] }), "manual tauri*"),
        (
            json!({ "remove_updaters": [{ "type": "tauri" }], "add_updaters": ["velopack"] }),
            "manual velopack",
        ),
        (json!({ "platform": "linux" }), "manual velopack"),
        (json!({ "updaters": [{ "type": "tauri" }] }), "tauri"),
        (json!({ "add_updaters": ["manual"] }), "tauri* manual"),
    ] {
        let answer = update(&acme, "linux", change.clone());
        assert_eq!(answer.status, 200, "{change}: {}", answer.text());
        assert_eq!(updaters(&acme, "linux"), expected, "{change}");
    }
    for (change, text) in [
        (json!({ "add_updaters": ["msi"] }), "updater not supported"),
        (json!({ "remove_updaters": ["tauri", "manual"] }), "a platform has at least one updater"),
        (
            json!({ "add_updaters": ["sparkle"], "updaters": [{ "type": "manual" }] }),
            "updaters replaces all: send it without add_updaters and remove_updaters",
        ),
    ] {
        assert_eq!(update(&acme, "linux", change).refusal(), (400, text.to_owned()));
    }
}

fn a_list_in_place_of_the_old_one_does_not_drop_what_is_used(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 2);
    let before = acme.check("0.1");
    let only = json!({ "updaters": [{ "type": "electron-builder", "default": true }] });
    assert_cut_off(&update(&acme, "linux", only.clone()), &json!(2));
    assert_eq!((acme.check("0.1"), updaters(&acme, "linux").as_str()), (before.clone(), "manual*"));
    assert_eq!(update(&acme, "linux", json!({ "add_updaters": ["electron-builder"] })).status, 200);
    assert_eq!(acme.check("0.1"), before);
    assert_cut_off(&update(&acme, "linux", json!({ "remove_updaters": ["manual"] })), &json!(2));
    assert_eq!(update(&acme, "linux", json!({ "remove_updaters": ["electron-builder"] })).status, 200);
    let mut forced = only;
    forced["force"] = json!(true);
    assert_eq!(update(&acme, "linux", forced).status, 200);
    acme.create_platform_with("windows", &["manual", "tauri"]);
    assert_eq!(
        update(&acme, "windows", json!({ "remove_updaters": ["manual"] })).status,
        200,
        "nobody is there"
    );
}

fn another_default_does_not_cut_off_copies_that_name_none(host: Driver) {
    let world = counting(host);
    let acme = with_devices(&world, 1);
    let tauri = json!({ "add_updaters": [{ "type": "tauri", "default": true }] });
    assert_cut_off(&update(&acme, "linux", tauri), &json!(1));
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
}

fn copies_that_are_never_counted_are_not_forgotten(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    acme.create_platform_with("darwin", &["manual", "squirrel_darwin"]);
    let zip = Release::empty("1.0.0").file("Notes.zip", "zip").with("platform", "darwin");
    acme.publish(zip.with("updater", "squirrel_darwin"));
    assert_cut_off(&update(&acme, "darwin", json!({ "remove_updaters": ["squirrel_darwin"] })), &Value::Null);
    assert_cut_off(&update(&acme, "darwin", json!({ "platform": "macos" })), &Value::Null);
    assert_eq!(update(&acme, "linux", json!({ "platform": "gnu" })).status, 200);
}

fn where_nothing_is_counted_releases_count(host: Driver) {
    let world = World::builder(host).with_variable("telemetry_enabled", "false").start();
    let acme = world.admin("acme").with_notes();
    assert_eq!(update(&acme, "linux", json!({ "add_updaters": ["tauri"] })).status, 200);
    acme.publish(Release::new("1.0.0"));
    assert_cut_off(&update(&acme, "linux", json!({ "remove_updaters": ["manual"] })), &Value::Null);
    assert_eq!(
        update(&acme, "linux", json!({ "remove_updaters": ["tauri"] })).status,
        200,
        "nothing is for it"
    );
}
