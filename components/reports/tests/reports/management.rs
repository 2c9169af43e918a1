//! Keys and groups, as managed by people.

use std::time::Duration;

use serde_json::{Value, json};
use spindrift_core::Id;

use crate::world::{World, body, with_details};

const NO_BODY: Value = Value::Null;

fn list(world: &World, who: &str, query: &str) -> (u64, usize) {
    let answer = world.call(who, "GET", &format!("/reports/groups{query}"), &NO_BODY);
    assert_eq!(answer.status, 200, "{query} {answer:?}");
    (answer.body["total"].as_u64().unwrap(), answer.body["items"].as_array().unwrap().len())
}

#[test]
fn keys() {
    let world = World::new();
    let other = Id::from_text("other");
    world.add_app(&other, "a first");
    world.sql("DELETE FROM report_keys WHERE app_id = 'other'");
    let listed = world.call("ada", "GET", "/report-keys/list", &NO_BODY).body["report_keys"].clone();
    assert_eq!(listed[0]["app_name"], "a first");
    assert_eq!((&listed[1]["app_id"], &listed[1]["key_value"]), (&json!(world.app), &json!(world.key)));
    let answer = world.call("ada", "POST", "/report-keys/regenerate", &json!({"app_id": world.app}));
    assert_eq!(answer.status, 200);
    assert_eq!(world.report("d", &body("a")).error(), (401, "invalid report key"));
    assert_eq!(answer.body["key_value"], world.key_of(&world.app));
    let regenerate = |body: &Value| world.call("ada", "POST", "/report-keys/regenerate", body);
    assert_eq!(regenerate(&json!({})).error(), (400, "missing app_id"));
    assert_eq!(regenerate(&json!({"app_id": "x"})).error(), (404, "application not found"));
    world.sql("UPDATE apps SET reports = 0 WHERE id = 'other'");
    let off = regenerate(&json!({"app_id": "other"}));
    assert_eq!(off.error(), (409, "reports are disabled for this application"));
}

#[test]
fn team_users() {
    let world = World::new();
    world.add_app(&Id::from_text("other"), "other");
    world.report("d", &body("a"));
    let hash = world.group()["group_hash"].as_str().unwrap().to_owned();
    world.add_member("seer", &json!({"apps": {"allowed": [world.app]}}));
    world.add_member("editor", &json!({"apps": {"edit": true, "delete": true, "allowed": [world.app]}}));
    world.add_member("blind", &json!({"apps": {"edit": true, "delete": true}}));
    let keys = |who| {
        world.call(who, "GET", "/report-keys/list", &NO_BODY).body["report_keys"].as_array().unwrap().len()
    };
    assert_eq!((keys("ada"), keys("seer"), keys("blind")), (2, 1, 0));
    assert_eq!((list(&world, "seer", ""), list(&world, "blind", "")), ((1, 1), (0, 0)));
    let group = format!("/reports/groups/{hash}");
    for (who, status) in [("blind", 403), ("seer", 200)] {
        assert_eq!(world.call(who, "GET", &format!("{group}/blobs"), &NO_BODY).status, status, "{who}");
    }
    for (who, status) in [("blind", 403), ("seer", 403), ("editor", 200)] {
        let regenerated = world.call(who, "POST", "/report-keys/regenerate", &json!({"app_id": world.app}));
        assert_eq!(regenerated.status, status, "{who}");
        assert_eq!(world.call(who, "PATCH", &group, &json!({"note": "n"})).status, status, "{who}");
        assert_eq!(world.call(who, "DELETE", &group, &NO_BODY).status, status, "{who}");
    }
    assert_eq!(list(&world, "ada", ""), (0, 0));
}

#[test]
fn filters_and_pages() {
    let world = World::new();
    for n in 0..5 {
        world.report("d", &body(&format!("r{n}")));
        world.platform.advance(Duration::from_hours(24));
    }
    for (query, expected) in [
        ("", (5, 5)),
        ("?limit=2", (5, 2)),
        ("?limit=2&page=3", (5, 1)),
        (
            "?reason=r1&app=notes&version=v1.2.3&channel=stable&platform=linux&arch=amd64&type=crash&status=open",
            (1, 1),
        ),
        ("?app=other", (0, 0)),
        ("?status=muted", (0, 0)),
        ("?from=2026-11-23", (3, 3)),
        ("?from=2026-11-22&to=2026-11-23", (2, 2)),
        ("?to=2026-11-21T01:43:00Z", (1, 1)),
    ] {
        assert_eq!(list(&world, "ada", query), expected, "{query}");
    }
    let page = world.call("ada", "GET", "/reports/groups?limit=1", &NO_BODY).body;
    assert_eq!(page["items"][0]["event"]["reason"], "r4");
    assert_eq!(page["items"][0]["stats"]["last_seen"], "2026-11-25T01:43:00+00:00");
    let answer = world.call("ada", "GET", "/reports/groups?limit=101", &NO_BODY);
    assert_eq!(answer.error(), (400, "invalid limit parameter: a number from 1 to 100, not \"101\""));
    assert_eq!(world.send("GET", "/reports/groups", &[], "").error(), (401, "missing authorization header"));
}

#[test]
fn statuses() {
    let world = World::new();
    world.report("d1", &body("a"));
    let uri = format!("/reports/groups/{}", world.group()["group_hash"].as_str().unwrap());
    let change = json!({"status": "resolved", "tags": ["x", "y"], "note": "looked at"});
    let answer = world.call("ada", "PATCH", &uri, &change);
    assert_eq!(answer.body, json!({"group_hash": world.group()["group_hash"], "updated": true}));
    let group = world.group();
    assert_eq!(
        (&group["tags"], &group["note"], &group["status"]),
        (&change["tags"], &change["note"], &json!("resolved"))
    );
    world.report("d2", &body("a"));
    assert_eq!(world.group()["status"], "open");
    world.call("ada", "PATCH", &uri, &json!({"status": "muted"}));
    world.report("d3", &body("a"));
    assert_eq!((&world.group()["status"], &world.group()["tags"]), (&json!("muted"), &change["tags"]));
    let bad = world.call("ada", "PATCH", &uri, &json!({"status": "gone"}));
    assert_eq!(bad.error(), (400, "invalid status: open, resolved or muted, not \"gone\""));
    for hash in ["0".repeat(64), "x".into()] {
        let uri = format!("/reports/groups/{hash}");
        let answer = world.call("ada", "PATCH", &uri, &json!({"note": ""}));
        assert_eq!(answer.error(), (404, "report group not found"));
    }
}

#[test]
fn blobs_and_deletion() {
    let world = World::new();
    world.report("d1", &with_details("a", b"{}"));
    world.report("d2", &with_details("a", b"{}"));
    let uri = format!("/reports/groups/{}", world.group()["group_hash"].as_str().unwrap());
    let blobs = world.call("ada", "GET", &format!("{uri}/blobs"), &NO_BODY).body["items"].clone();
    assert_eq!(blobs.as_array().unwrap().len(), 2);
    assert!(blobs[0]["url"].as_str().unwrap().contains("X-Amz-Expires=900"), "{blobs}");
    assert_eq!(blobs[0]["storage"]["decompressed_size"], 2);
    assert_eq!(
        (&blobs[0]["application"]["name"], &blobs[0]["event"]["reason"]),
        (&json!("notes"), &json!("a"))
    );
    assert!(blobs[0]["expires_at"].is_string(), "{blobs}");
    world.platform.set_variable("storage_driver", "s3_internal");
    let internal = world.call("ada", "GET", &format!("{uri}/blobs"), &NO_BODY).body;
    let first = &internal["items"][0];
    assert_eq!((&first["url"], &first["expires_at"]), (&Value::Null, &Value::Null));
    assert_eq!(first["storage"]["driver"], "s3_internal");
    assert_eq!(world.call("ada", "DELETE", &format!("{uri}?app_id=other"), &NO_BODY).status, 404);
    let answer = world.call("ada", "DELETE", &uri, &NO_BODY);
    assert_eq!((answer.status, &answer.body["deleted"]), (200, &json!(true)));
    let deleted = world.storage.lock().unwrap().iter().filter(|line| line.starts_with("DELETE")).count();
    assert_eq!((deleted, world.sql("SELECT * FROM report_blobs").len()), (2, 0));
    assert_eq!(world.call("ada", "DELETE", &uri, &NO_BODY).error(), (404, "report group not found"));
}

#[test]
fn a_group_knows_its_last_thirty_days() {
    let world = World::new();
    let day = Duration::from_hours(24);
    let trend = || {
        let trend: Vec<u64> = serde_json::from_value(world.group()["trend"].clone()).unwrap();
        assert_eq!(trend.len(), 30);
        trend
    };
    world.report("a", &body("segv"));
    world.report("b", &body("segv"));
    assert_eq!(trend()[28..], [0, 2]);
    world.platform.advance(2 * day);
    world.report("a", &body("segv"));
    assert_eq!(trend()[26..], [0, 2, 0, 1]);
    world.platform.advance(27 * day);
    assert_eq!((trend()[0], trend()[2], trend().iter().sum()), (2, 1, 3_u64));
    world.platform.advance(day);
    world.report("a", &body("segv"));
    assert_eq!((trend()[1], trend()[29], trend().iter().sum()), (1, 1, 2_u64));
    let days = world.sql("SELECT count(*) FROM report_groups, json_each(days)");
    assert_eq!(days, [[spindrift_db::SqlValue::Integer(2)]], "past days are not kept");
    assert_eq!(world.group()["stats"]["count"], 4);
}

#[test]
fn versions_are_compared() {
    let world = World::new();
    let failure = |version: &str, reason: &str| {
        let mut report = body(reason);
        report["application"]["version"] = json!(version);
        report
    };
    for (device, version, reason) in
        [("a", "1.9.0", "segv"), ("a", "1.10.0", "segv"), ("a", "1.10.0", "oom"), ("b", "1.10.0", "oom")]
    {
        world.report(device, &failure(version, reason));
    }
    world.sql("UPDATE report_groups SET status = 'resolved' WHERE reason = 'segv'");
    let today = spindrift_core::Day::of(crate::world::NOW).number();
    for (day, device, version) in [
        (0, 1, "1.10.0"),
        (1, 1, "1.9.0"),
        (0, 2, "1.10.0"),
        (29, 3, "1.9.0"),
        (30, 4, "1.9.0"),
        (0, 5, "2.0.0"),
    ] {
        world.sql(&format!(
            "INSERT INTO telemetry (day, app_id, device, version, is_latest, requests) \
             VALUES ({}, '{}', {device}, '{version}', 0, 1)",
            today - day,
            world.app
        ));
    }
    world.add_member("seer", &json!({"apps": {"allowed": [world.app]}}));
    world.add_member("blind", &json!({"apps": {"edit": true}}));
    let ask = |who: &str, query: &str| world.call(who, "GET", &format!("/reports/versions{query}"), &NO_BODY);
    let expected = json!({ "versions": [
        { "version": "1.10.0", "groups": 2, "open_groups": 1, "reports": 3, "devices": 2 },
        { "version": "1.9.0", "groups": 1, "open_groups": 0, "reports": 1, "devices": 1 },
    ] });
    assert_eq!(ask("ada", "?app=notes").body, expected);
    assert_eq!(ask("seer", "?app=notes").body, expected);
    assert_eq!(ask("blind", "?app=notes").error(), (404, "application not found"));
    assert_eq!(ask("ada", "?app=other").error(), (404, "application not found"));
    assert_eq!(ask("ada", "").error(), (400, "missing app"));
}
