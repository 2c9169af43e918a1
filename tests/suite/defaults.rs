//! Answers to copies that name no channel, platform or architecture, and the values that an owner marks as defaults.

use serde_json::{Value, json};
use spindrift_tests::{Account, CDN_BUCKET, Driver, Release, World, on_hosts};

use crate::telemetry::{counting, figures};

on_hosts! {
    every: [
        the_first_channel_changes_no_answer,
        copies_that_name_none_follow_the_default,
        only_one_value_is_the_default,
        without_a_former_release_a_name_is_required,
        a_channel_may_be_called_default,
        the_next_check_sees_the_default,
        static_answers_follow_the_default,
        beacons_call_unused_dimensions_default,
        counted_devices_keep_what_they_sent,
        the_updaters_of_the_default_platform_answer,
    ],
}

/// The name of an entry in its list.
fn name_key(kind: &str) -> &'static str {
    match kind {
        "channel" => "ChannelName",
        "platform" => "PlatformName",
        _ => "ArchID",
    }
}

/// An entry of a list, by name.
pub(crate) fn entry(account: &Account, kind: &str, name: &str) -> Value {
    let list = account.get(&format!("/{kind}/list")).ok();
    let all = list[format!("{kind}s")].as_array().unwrap();
    let found = all.iter().find(|entry| entry[name_key(kind)] == name);
    found.unwrap_or_else(|| panic!("no {kind} {name} in {list}")).clone()
}

/// Makes a value the default, or undoes that.
fn set_default(account: &Account, kind: &str, name: &str, is_default: bool) {
    let id = entry(account, kind, name)["ID"].clone();
    account.post_json(&format!("/{kind}/update"), json!({ "id": id, "default": is_default })).ok();
}

/// A release for Squirrel.Mac without channel and architecture.
fn unnamed(version: &str) -> Release {
    Release::empty(version)
        .file("Notes.zip", version)
        .without("channel")
        .without("arch")
        .with("platform", "darwin")
        .with("updater", "squirrel_darwin")
}

/// The owner of a release that has no channel and no architecture.
fn acme(world: &World) -> Account {
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_platform_with("darwin", &["manual", "squirrel_darwin"]);
    acme.publish(unnamed("1.0.0"));
    acme
}

fn check(account: &Account, more: &str) -> Value {
    account.get(&format!("/checkVersion?app_name=notes&owner=acme&version=0.1{more}")).ok()
}

/// Answers to installed copies that name neither channel nor architecture.
fn answers(world: &World) -> Vec<(u16, String)> {
    let check = "/checkVersion?app_name=notes&owner=acme&version=0.1&platform=darwin";
    let beacon = "/telemetry/beacon?app_name=notes&owner=acme&version=0.1&platform=darwin&channel=default&arch=default";
    [
        check.to_owned(),
        format!("{check}&channel=default&arch=default"),
        format!("{check}&updater=squirrel_darwin"),
        "/responses/acme/notes/default/darwin/default/0.1.json".to_owned(),
        "/update/acme/notes/default/darwin/default/0.1/squirrel.json".to_owned(),
        "/apps/latest?app_name=notes&owner=acme&channel=default&platform=darwin&arch=default&package=zip"
            .to_owned(),
        beacon.to_owned(),
    ]
    .iter()
    .map(|path| {
        let answer = world.get(path).header("x-device-id", "a-device").send();
        (answer.status, format!("{} {}", answer.header("location"), answer.text()))
    })
    .collect()
}

fn the_first_channel_changes_no_answer(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let before = answers(&world);
    let statuses: Vec<u16> = before.iter().map(|(status, _)| *status).collect();
    assert_eq!(statuses, [200, 200, 200, 200, 200, 302, 204], "{before:?}");

    acme.create_channel("stable");
    acme.create_arch("arm64");
    assert_eq!(answers(&world), before);
    acme.publish(unnamed("2.0.0").with("channel", "stable").with("arch", "arm64"));
    assert_eq!(answers(&world), before);
    acme.create_channel("beta");
    assert_eq!(answers(&world), before);
}

fn copies_that_name_none_follow_the_default(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("stable");
    acme.create_arch("arm64");
    acme.publish(unnamed("2.0.0").with("channel", "stable").with("arch", "arm64"));
    let version = |more: &str| check(&acme, &format!("&platform=darwin{more}"))["version"].clone();

    acme.post_json(
        "/arch/update",
        json!({ "id": entry(&acme, "arch", "arm64")["ID"], "default": true, "force": true }),
    )
    .ok();
    assert_eq!(version("&channel=stable"), "2.0.0");
    set_default(&acme, "channel", "stable", true);
    assert_eq!(version(""), "2.0.0");
    assert_eq!(version("&channel=stable&arch=arm64"), "2.0.0");
    assert_eq!(version("&channel=default&arch=default"), "1.0.0", "the release with neither");
    set_default(&acme, "platform", "darwin", true);
    assert_eq!(check(&acme, "")["version"], "2.0.0");

    for (kind, name) in [("channel", "stable"), ("arch", "arm64")] {
        let id = entry(&acme, kind, name)["ID"].clone();
        acme.post_json(&format!("/{kind}/update"), json!({ "id": id, "default": false })).ok();
    }
    assert_eq!(version(""), "1.0.0");
}

fn only_one_value_is_the_default(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    for kind in ["channel", "platform", "arch"] {
        for name in ["one", "two"] {
            let created = acme.post_json(&format!("/{kind}/create"), json!({ kind: name })).ok();
            assert!(created.is_object());
        }
        let defaults = || ["one", "two"].map(|name| entry(&acme, kind, name)["Default"].clone());
        assert_eq!(defaults(), [json!(false), json!(false)]);
        set_default(&acme, kind, "one", true);
        assert_eq!(defaults(), [json!(true), json!(false)]);
        set_default(&acme, kind, "two", true);
        assert_eq!(defaults(), [json!(false), json!(true)]);
        let rename = json!({ "id": entry(&acme, kind, "two")["ID"], kind: "three" });
        acme.post_json(&format!("/{kind}/update"), rename).ok();
        assert_eq!(entry(&acme, kind, "three")["Default"], true, "an omitted field stays");
        set_default(&acme, kind, "three", false);
        assert_eq!(entry(&acme, kind, "three")["Default"], false);
        let bad = json!({ "id": entry(&acme, kind, "one")["ID"], "default": "yes" });
        assert_eq!(acme.post_json(&format!("/{kind}/update"), bad).send().status, 400);
    }
}

fn without_a_former_release_a_name_is_required(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_app("other");
    acme.create_channel("stable");
    let ask = |app: &str, more: &str| {
        let path = format!("/checkVersion?app_name={app}&owner=acme&version=1&platform=darwin{more}");
        acme.get(&path).send().refusal()
    };
    assert_eq!(ask("notes", "").0, 200);
    assert_eq!(ask("other", ""), (400, "channel is required".to_owned()), "it never had a release");
    assert_eq!(ask("other", "&channel=default"), (404, "channel not found".to_owned()));
    assert_eq!(ask("other", "&channel=beta"), (404, "channel not found".to_owned()));
    set_default(&acme, "channel", "stable", true);
    assert_eq!(ask("other", "").0, 200);
    let release = acme.release("1.0.0").id;
    set_default(&acme, "channel", "stable", false);
    acme.delete(&format!("/apps/delete?id={release}")).ok();
    assert_eq!(ask("notes", "").0, 200, "it once had a release");
}

fn a_channel_may_be_called_default(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    acme.create_channel("default");
    assert_eq!(
        check(&acme, "&platform=darwin&channel=default")["version"],
        "1.0.0",
        "nothing is published there"
    );
    acme.publish(unnamed("3.0.0").with("channel", "default"));
    assert_eq!(check(&acme, "&platform=darwin&channel=default")["version"], "3.0.0");
    assert_eq!(check(&acme, "&platform=darwin")["version"], "1.0.0");
}

fn the_next_check_sees_the_default(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.publish(Release::new("1.0.0"));
    acme.publish(Release::new("1.1.0-beta").with("channel", "beta"));
    let version = |more: &str| check(&acme, &format!("&platform=linux&arch=amd64{more}"))["version"].clone();
    let feed = || {
        let path = "/responses/acme/notes/default/linux/amd64/0.1.json";
        world.get(path).send().expect(200).json()["version"].clone()
    };
    set_default(&acme, "channel", "stable", true);
    for _ in 0..2 {
        assert_eq!(
            (version(""), version("&channel=default"), feed()),
            (json!("1.0.0"), json!("1.0.0"), json!("1.0.0"))
        );
    }
    set_default(&acme, "channel", "beta", true);
    assert_eq!((version(""), feed()), (json!("1.1.0-beta"), json!("1.1.0-beta")));
    acme.publish(Release::new("1.2.0-beta").with("channel", "beta"));
    assert_eq!(
        (version(""), feed()),
        (json!("1.2.0-beta"), json!("1.2.0-beta")),
        "and the releases published there"
    );
    let release = acme.release("1.2.0-beta").id;
    acme.delete(&format!("/apps/delete?id={release}")).ok();
    assert_eq!((version(""), feed()), (json!("1.1.0-beta"), json!("1.1.0-beta")));
    assert_eq!(version("&channel=stable"), "1.0.0");
}

fn static_answers_follow_the_default(host: Driver) {
    let world = World::new(host);
    let acme = crate::static_answers::acme(&world);
    acme.publish(Release::new("1.0.0"));
    let object = || {
        let key = "responses/acme/notes/default/linux/amd64/1.0.0.json";
        let bytes = world.store().object(CDN_BUCKET, key)?;
        Some(serde_json::from_slice::<Value>(&bytes).unwrap()["version"].clone())
    };
    assert_eq!(object(), None);
    set_default(&acme, "channel", "stable", true);
    assert_eq!(object(), Some(json!("1.0.0")));
    acme.publish(Release::new("2.0.0"));
    assert_eq!(object(), Some(json!("2.0.0")));
    set_default(&acme, "channel", "stable", false);
    assert_eq!(object(), None);
}

fn beacons_call_unused_dimensions_default(host: Driver) {
    let world = counting(host);
    let bare = world.admin("bare");
    bare.create_app("notes");
    let beacon = "/telemetry/beacon?app_name=notes&owner=bare&version=1.0.0&channel=default&platform=default&arch=default";
    let _ = world.get(beacon).header("x-device-id", "d1").send().expect(204);
    let figures = figures(&bare, 1);
    for (list, key) in [("channels", "channel"), ("platforms", "platform"), ("architectures", "arch")] {
        assert_eq!(figures[list], json!([{ key: "", "client_count": 1 }]));
    }
    let unknown = beacon.replace("platform=default", "platform=linux");
    let refused = world.get(&unknown).header("x-device-id", "d1").send().refusal();
    assert_eq!(refused, (404, "unknown scope".to_owned()));
}

fn counted_devices_keep_what_they_sent(host: Driver) {
    let world = counting(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));
    set_default(&acme, "channel", "stable", true);
    let ask = |device: &str, more: &str| {
        let path =
            format!("/checkVersion?app_name=notes&owner=acme&version=0.1&platform=linux&arch=amd64{more}");
        let _ = world.get(&path).header("x-device-id", device).send().expect(200);
    };
    ask("d1", "");
    ask("d2", "&channel=default");
    ask("d3", "&channel=stable");
    let channels = figures(&acme, 3)["channels"].clone();
    let expected = json!([{ "channel": "", "client_count": 2 }, { "channel": "stable", "client_count": 1 }]);
    assert_eq!(channels, expected);
}

fn the_updaters_of_the_default_platform_answer(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app("notes");
    acme.create_channel("stable");
    acme.create_platform_with("windows", &["velopack"]);
    set_default(&acme, "channel", "stable", true);
    set_default(&acme, "platform", "windows", true);
    let release = spindrift_tests::velopack("1.0.0", &[]).without("arch").with("platform", "windows");
    acme.publish(release.with("channel", "stable"));
    let answer = acme.get("/checkVersion?app_name=notes&owner=acme&version=0.1").send().expect(302);
    let feed = answer.header("location").to_owned();
    assert!(feed.contains("/update/acme/notes/stable/windows/default/0.1/"), "{feed}");
    let path = feed.trim_start_matches(&world.url()).to_owned();
    assert!(world.get(&path).send().expect(200).text().contains("1.0.0-full.nupkg"));
}
