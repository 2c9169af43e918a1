//! `GET /telemetry/overview`.

use std::time::Duration;

use serde_json::json;
use spindrift_web::{Clock as _, KeyValue as _};

use crate::world::World;

#[test]
fn devices_count_with_the_version_of_their_last_day() {
    let world = World::new();
    let day = Duration::from_hours(24);
    let beta = "app_name=notes&version=1.2.0-beta&channel=beta&platform=linux&arch=amd64&owner=ada";
    world.beacon("a", "1.0.0", "");
    world.beacon("b", "1.1.0", "");
    world.platform.advance(day);
    world.beacon("a", "1.1.0", "");
    world.beacon("b", "1.0.0", "");
    world.beacon_of("c", beta);

    let overview = world.ask("ada", "/telemetry/overview");

    let notes = &overview["apps"][0];
    assert_eq!(
        (&notes["name"], &notes["devices"], &notes["devices_on_newest"]),
        (&json!("notes"), &json!(3), &json!(2))
    );
    assert_eq!(
        (&notes["daily"][28], &notes["daily"][29], &notes["devices_today"]),
        (&json!(2), &json!(3), &json!(3))
    );
    let newest = |channel: &str, version: &str| {
        json!({
            "channel": channel, "version": version, "created_at": "1970-01-01T00:00:00+00:00", "rollout_percent": 100,
            "basis_points": 10_000, "rollout_state": "complete",
        })
    };
    assert_eq!(notes["newest"], json!([newest("beta", "1.2.0-beta"), newest("stable", "1.1.0")]));
    assert_eq!(
        (&overview["apps"][1]["name"], &overview["apps"][1]["daily"]),
        (&json!("todo"), &json!(vec![0; 30]))
    );
    assert_eq!((&overview["devices"], &overview["releases_total"]), (&json!(3), &json!(3)));
}

#[test]
fn the_number_of_statements_does_not_depend_on_the_number_of_applications() {
    let world = World::new();
    let statements = |query: &str| {
        let before = world.platform.statements();
        world.ask("ada", &format!("/telemetry/overview{query}"));
        world.platform.statements() - before
    };
    let few = statements("");
    for n in 0..150 {
        world.sql(&format!(
            "INSERT INTO apps (id, owner_id, name, created_at, updated_at) VALUES ('app{n}', 'u', 'app {n}', 0, 0)"
        ));
        world.sql(&format!("INSERT INTO telemetry (day, app_id, device, version, is_latest, requests) VALUES (20778, 'app{n}', {n}, '1.0', 1, 1)"));
    }

    let (all_on_a_page, first_page) = (statements("?limit=100&search=app+1"), statements("?limit=100"));

    println!(
        "{few} statements for two applications, {all_on_a_page} for a search, {first_page} for a page of many"
    );
    assert!(few <= 15, "{few}");
    assert_eq!((all_on_a_page, first_page), (few + 1, few), "counting all devices, which are kept then");
}

/// The sentence of `notes` about what its copies do not send.
fn missing(world: &World) -> Option<String> {
    let overview = world.ask("ada", "/telemetry/overview?app=notes");
    let apps = overview["apps"].as_array().unwrap();
    assert_eq!((apps.len(), &apps[0]["name"]), (1, &json!("notes")), "{overview}");
    apps[0]["missing"].as_str().map(ToOwned::to_owned)
}

fn is_missing(world: &World, text: &str) {
    let said = missing(world);
    assert!(said.as_ref().is_some_and(|said| said.contains(text)), "{text}: {said:?}");
}

/// Copies check for updates, as `crates/service/src/last_asked.rs` notes it.
fn ask_for_updates(world: &World) {
    let now = world.platform.now().as_millis().to_string();
    world.platform.set("asked.notes", now.as_bytes()).unwrap();
}

#[test]
fn what_copies_do_not_send_is_said() {
    let world = World::new();
    assert_eq!(missing(&world), None, "nobody asks for updates");
    ask_for_updates(&world);
    is_missing(&world, "none sends a device id, and failure reports are off");
    world.sql("UPDATE apps SET reports = 1 WHERE id = 'notes'");
    is_missing(&world, "none has sent a device id or a failure report");

    world.beacon("a", "1.0.0", "");
    is_missing(&world, "failure reports, and none has come yet");

    world.sql(
        "INSERT INTO report_groups (id, owner_id, app_id, group_hash, app_name, version, channel, platform, \
          arch, event_type, reason, event_count, first_seen, last_seen, status, created_at, updated_at) \
         VALUES ('g', 'u', 'notes', 'h', 'notes', '1.0.0', 'stable', 'linux', 'amd64', 'crash', 'segv', 1, 0, \
          0, 'resolved', 0, 0)",
    );
    assert_eq!(missing(&world), None);
    assert_eq!(world.ask("ada", "/telemetry/overview?app=none")["apps"], json!([]));
}

#[test]
fn copies_that_asked_long_ago_are_not_missed() {
    let world = World::new();
    ask_for_updates(&world);
    world.platform.advance(Duration::from_hours(7 * 24));
    is_missing(&world, "none sends a device id");
    world.platform.advance(Duration::from_millis(1));
    assert_eq!(missing(&world), None);
}

#[test]
fn a_store_that_fails_is_not_taken_for_silence() {
    let world = World::new();
    ask_for_updates(&world);
    world.platform.fail_key_value(true);
    is_missing(&world, "It is not known whether copies check for updates");
    world.platform.fail_key_value(false);
    world.platform.set_variable("telemetry_enabled", "false");
    let said = missing(&world);
    assert_eq!(said.as_deref(), Some("The guard needs failure reports, and they are off."), "no device ids");
}
