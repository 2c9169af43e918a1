//! The part of a history that the service lists: the newest releases, and possible answers of checks and feeds.

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts, sparkle, squirrel};

use super::{begin_service, listed_versions, one_file};
use crate::feeds;

on_hosts! {
    every: [
        the_five_newest_are_listed,
        each_place_has_its_own_newest,
        possible_answers_of_checks_stay_listed,
        files_needed_again_come_back,
        included_channels_count,
        the_way_through_deltas_stays,
        an_appcast_keeps_what_older_systems_need,
        an_updater_keeps_its_own_newest,
    ],
}

fn keep(world: &World, number: u8) {
    let changed = world.database().execute("UPDATE repositories SET keep = ?1", [number]).unwrap();
    assert_eq!(changed, 1);
}

/// `notes`, of which the newest release of each place is kept.
fn notes(world: &World, acme: Account) -> Account {
    let _publisher = begin_service(&acme);
    keep(world, 1);
    acme
}

fn edit(acme: &Account, version: &str, change: Value) {
    let id = acme.release(version).id.to_string();
    let _ = acme.edit(&id, change).expect(200);
}

fn the_five_newest_are_listed(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _publisher = begin_service(&acme);
    for minor in 0..7 {
        acme.publish(one_file(&format!("1.{minor}.0")));
    }
    assert_eq!(listed_versions(&acme), ["1.2.0", "1.3.0", "1.4.0", "1.5.0", "1.6.0"]);
    assert_eq!(acme.check("1.0.0")["version"], "1.6.0");
    assert_eq!(acme.check("2.0.0")["possible_rollback"], true);
}

fn each_place_has_its_own_newest(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.create_channel("beta");
    acme.create_arch("arm64");
    let acme = notes(&world, acme);
    acme.publish(one_file("1.0.0"));
    acme.publish(one_file("1.1.0-beta.1").with("channel", "beta"));
    acme.publish(one_file("1.2.0").with("arch", "arm64"));
    assert_eq!(listed_versions(&acme), ["1.1.0-beta.1", "1.0.0", "1.2.0"]);
}

fn possible_answers_of_checks_stay_listed(host: Driver) {
    let world = World::new(host);
    let acme = notes(&world, world.admin("acme").with_notes());
    acme.publish(one_file("1.0.0"));
    acme.publish(one_file("1.1.0").intermediate());
    acme.publish(one_file("1.2.0"));
    acme.publish(one_file("1.3.0").rollout(10));
    assert_eq!(listed_versions(&acme), ["1.1.0", "1.2.0", "1.3.0"]);
    edit(&acme, "1.3.0", json!({ "rollout": 100 }));
    assert_eq!(listed_versions(&acme), ["1.1.0", "1.3.0"]);
    edit(&acme, "1.1.0", json!({ "intermediate": false }));
    assert_eq!(listed_versions(&acme), ["1.3.0"]);
}

fn files_needed_again_come_back(host: Driver) {
    let world = World::new(host);
    let acme = notes(&world, world.admin("acme").with_notes());
    acme.publish(one_file("1.0.0"));
    acme.publish(one_file("1.1.0"));
    assert_eq!(listed_versions(&acme), ["1.1.0"]);
    edit(&acme, "1.1.0", json!({ "publish": false }));
    assert_eq!(listed_versions(&acme), ["1.0.0"]);
    assert_eq!(acme.check("0.9")["version"], "1.0.0");
    edit(&acme, "1.1.0", json!({ "publish": true, "rollout": 0 }));
    assert_eq!(listed_versions(&acme), ["1.0.0", "1.1.0"]);
}

fn included_channels_count(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let beta = acme.create_channel("beta");
    let body = json!({ "id": beta, "includes": ["stable"] });
    let _ = acme.post_json("/channel/update", body).send().expect(200);
    let acme = notes(&world, acme);
    acme.publish(one_file("1.0.0"));
    acme.publish(one_file("1.1.0"));
    acme.publish(one_file("1.2.0-beta.1").with("channel", "beta").rollout(10));
    assert_eq!(listed_versions(&acme), ["1.2.0-beta.1", "1.1.0"]);
    acme.publish(one_file("1.2.0").rollout(10));
    let listed = ["1.2.0-beta.1", "1.1.0", "1.2.0"];
    assert_eq!(listed_versions(&acme), listed, "devices of beta may have any of the three");
}

fn the_way_through_deltas_stays(host: Driver) {
    let world = World::new(host);
    let acme = notes(&world, feeds::acme(&world));
    for (version, earlier) in [
        ("1.0.0", &[][..]),
        ("1.1.0", &["1.0.0"]),
        ("1.2.0", &["1.0.0", "1.1.0"]),
        ("1.3.0", &["1.0.0", "1.1.0", "1.2.0"]),
    ] {
        acme.publish(squirrel(version, earlier).with_digests());
    }
    let releases = world.get(&feeds::path("windows", "1.1.0", "RELEASES")).send().expect(200).text();
    assert!(releases.contains("1.2.0-delta") && releases.contains("1.3.0-delta"), "{releases}");
}

fn an_appcast_keeps_what_older_systems_need(host: Driver) {
    let world = World::new(host);
    let acme = notes(&world, feeds::acme(&world));
    acme.publish(sparkle("1.0.0").with_digests());
    acme.publish(sparkle("1.1.0").with_digests());
    let appcast = world.get(&feeds::path("darwin", "0.9", "appcast.xml")).send().expect(200).text();
    assert!(appcast.contains("1.0.0") && appcast.contains("1.1.0"), "{appcast}");
}

fn an_updater_keeps_its_own_newest(host: Driver) {
    let world = World::new(host);
    let acme = notes(&world, feeds::acme(&world));
    acme.publish(squirrel("1.0.0", &[]).with_digests());
    acme.publish(Release::new("1.1.0").with("platform", "windows").with("updater", "manual").with_digests());
    assert_eq!(listed_versions(&acme), ["1.1.0", "1.0.0"]);
    let releases = world.get(&feeds::path("windows", "0.9", "RELEASES")).send().expect(200).text();
    assert!(releases.contains("1.0.0-full"), "{releases}");
}
