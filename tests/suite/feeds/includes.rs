//! Channels that include others.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts, squirrel, velopack};

use super::acme;

on_hosts! {
    every: [
        a_client_is_offered_the_newest_of_both_by_version,
        feeds_follow_the_channels_too,
        a_change_is_seen_by_the_next_check,
        includes_are_not_followed_further,
        invalid_includes_are_refused,
    ],
}

fn channel_id(acme: &Account, name: &str) -> Value {
    let list = acme.get("/channel/list").ok();
    let channel = list["channels"].as_array().unwrap().iter().find(|c| c["ChannelName"] == name);
    channel.unwrap()["ID"].clone()
}

fn include(acme: &Account, channel: &str, included: &[&str]) {
    let body = json!({ "id": channel_id(acme, channel), "includes": included });
    let _ = acme.post_json("/channel/update", body).send().expect(200);
}

fn on(channel: &str, version: &str) -> Release {
    Release::new(version).with("channel", channel)
}

fn offered(acme: &Account, channel: &str) -> Value {
    let path = acme.check_path("0.1").replace("stable", channel);
    acme.get(&path).ok()["version"].clone()
}

fn a_client_is_offered_the_newest_of_both_by_version(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    include(&acme, "beta", &["stable"]);

    acme.publish(on("beta", "1.1.0-beta.2"));
    acme.publish(on("stable", "1.0.9"));
    assert_eq!(offered(&acme, "beta"), "1.1.0-beta.2", "not by date");
    acme.publish(on("stable", "1.1.0"));
    assert_eq!(offered(&acme, "beta"), "1.1.0");
    acme.publish(on("beta", "1.2.0-beta.1"));
    assert_eq!(offered(&acme, "beta"), "1.2.0-beta.1");
    assert_eq!(offered(&acme, "stable"), "1.1.0", "the other way round nothing is included");
    let latest = acme.get("/apps/latest?app_name=notes&owner=acme").ok();
    assert!(latest["beta"]["linux"]["amd64"]["deb"]["url"].as_str().unwrap().contains("1.2.0-beta.1"));
    assert!(latest["stable"]["linux"]["amd64"]["deb"]["url"].as_str().unwrap().contains("1.1.0"));
}

fn feeds_follow_the_channels_too(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    include(&acme, "beta", &["stable"]);
    acme.publish(squirrel("1.0.0", &[]));
    acme.publish(velopack("1.1.0", &[]));

    let beta = |file: &str| {
        let path = super::path("windows", "0.1", file).replace("stable", "beta");
        world.get(&path).send().expect(200).text()
    };
    assert!(beta("RELEASES").contains("Notes-1.0.0-full.nupkg"));
    assert!(beta("releases.win.json").contains("Notes-1.1.0-full.nupkg"));
}

fn a_change_is_seen_by_the_next_check(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let release = acme.publish(on("stable", "1.0.0"));
    acme.publish(on("beta", "0.9.0"));
    assert_eq!(offered(&acme, "beta"), "0.9.0");

    include(&acme, "beta", &["stable"]);
    assert_eq!(offered(&acme, "beta"), "1.0.0");
    assert_eq!(acme.get("/channel/list").ok()["channels"][0]["Includes"], json!(["stable"]));
    acme.publish(on("stable", "1.1.0"));
    assert_eq!(offered(&acme, "beta"), "1.1.0", "a release of an included channel");
    let _ = acme.edit(&release, json!({ "publish": false })).expect(200);
    let rename = json!({ "id": channel_id(&acme, "beta"), "channel": "preview" });
    let _ = acme.post_json("/channel/update", rename).send().expect(200);
    assert_eq!(offered(&acme, "preview"), "1.1.0", "a new name changes nothing of it");
    include(&acme, "preview", &[]);
    assert_eq!(offered(&acme, "preview"), "0.9.0");
}

fn includes_are_not_followed_further(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let alpha = json!({ "channel": "alpha", "includes": ["beta"] });
    let _ = acme.post_json("/channel/create", alpha).send().expect(200);
    include(&acme, "beta", &["stable"]);
    acme.publish(on("stable", "2.0.0"));
    acme.publish(on("beta", "1.0.0"));

    assert_eq!(offered(&acme, "alpha"), "1.0.0");
    assert_eq!(offered(&acme, "beta"), "2.0.0");
}

fn invalid_includes_are_refused(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    world.admin("other").create_channel("theirs");
    let refused = |includes: Value| {
        let body = json!({ "id": channel_id(&acme, "beta"), "includes": includes });
        acme.post_json("/channel/update", body).send().refusal()
    };

    assert_eq!(refused(json!(["beta"])), (400, "a channel cannot include itself".into()));
    assert_eq!(refused(json!(["nightly"])), (400, "unknown channel: nightly".into()));
    assert_eq!(refused(json!(["theirs"])), (400, "unknown channel: theirs".into()));
    assert_eq!(refused(json!(["a b"])), (400, "invalid includes parameter".into()));
    assert_eq!(refused(json!("stable")).0, 400);
    let created = acme.post_json("/channel/create", json!({ "channel": "new", "includes": ["nightly"] }));
    assert_eq!(created.send().refusal(), (400, "unknown channel: nightly".into()));
    assert_eq!(acme.get("/channel/list").ok()["channels"].as_array().unwrap().len(), 2, "nothing is kept");
}
