//! `POST /reports/ingest`: all answers, in the order of the checks.

use serde_json::json;

use crate::world::{World, body, with_details};

const HASH: &str = "39e6feb7e7f2e56721d5123b009adc7b7bc99d18de8be8ae4374d6328907d157";

#[test]
fn a_report_is_counted() {
    let world = World::new();
    let answer = world.report("device one", &body("segv"));
    assert_eq!(answer.status, 202);
    assert_eq!(answer.body, json!({"status": "accepted", "group_hash": HASH, "stored_details": false}));
    world.report("d2", &body("segv"));
    let group = world.group();
    assert_eq!(group["stats"]["count"], 2);
    assert_eq!(group["application"], json!({"name": "notes", "version": "1.2.3", "channel": "stable"}));
    assert_eq!(group["event"], json!({"type": "crash", "reason": "segv"}));
    let stored = format!("{:?}", world.sql("SELECT * FROM report_groups"));
    assert!(!stored.contains("device one") && !stored.contains(&world.key));
}

/// Combines each fault with every later one; the earlier one is reported.
#[test]
fn checks_have_an_order() {
    let world = World::new();
    world.platform.set_variable("reports_max_body_bytes", "300");
    let key = format!("Bearer {}", world.key);
    let unknown = format!("Bearer rpk_{}", "0".repeat(64));
    let long = "x".repeat(301);
    let mut other = body("segv");
    other["application"]["name"] = json!("other");
    let mut packed_otherwise = other.clone();
    packed_otherwise["details"] = json!({"encoding": "zstd"});
    let (other, packed_otherwise) = (other.to_string(), packed_otherwise.to_string());
    let bad = r#"{"application":{"name":"other"}}"#;
    let json = ("content-type", "application/json");
    let device = ("x-device-id", "d");
    let auth = |value| ("authorization", value);
    let send = |headers: &[(&str, &str)], body: &str| {
        let answer = world.send("POST", "/reports/ingest", headers, body);
        (answer.status, answer.body["error"].as_str().unwrap_or_default().to_owned())
    };
    let expect = |status: u16, text: &str| (status, text.to_owned());
    for wrong in [None, Some("Basic abc"), Some("Bearer"), Some("Bearer rpk_1"), Some(world.key.as_str())] {
        let headers: Vec<_> = wrong.map(auth).into_iter().collect();
        assert_eq!(send(&headers, &long), expect(401, "invalid report key"), "{wrong:?}");
    }
    assert_eq!(send(&[auth(&unknown)], &long), expect(400, "missing X-Device-ID"));
    let blank = "d".repeat(129);
    assert_eq!(send(&[auth(&unknown), ("x-device-id", &blank)], &long), expect(400, "invalid X-Device-ID"));
    assert_eq!(send(&[auth(&unknown), device], &long), expect(401, "invalid report key"));
    world.sql("UPDATE apps SET reports = 0");
    assert_eq!(send(&[auth(&key), device], &long), expect(403, "reports are disabled for this application"));
    world.sql("UPDATE apps SET reports = 1");
    assert_eq!(send(&[auth(&key), device], &long), expect(413, "report body too large"));
    let media = "unsupported content type, expected application/json";
    assert_eq!(send(&[auth(&key), device], "{"), expect(415, media));
    assert_eq!(send(&[auth(&key), device, json], "{"), expect(400, "malformed JSON"));
    assert_eq!(send(&[auth(&key), device, json], bad), expect(400, "missing application.version"));
    let unsupported = expect(400, "unsupported details.encoding");
    assert_eq!(send(&[auth(&key), device, json], &packed_otherwise), unsupported);
    let mismatch = "report key does not belong to this application";
    assert_eq!(send(&[auth(&key), device, json], &other), expect(403, mismatch));
    assert!(world.sql("SELECT * FROM report_groups").is_empty());
    assert!(world.platform.stored_keys().is_empty());
}

#[test]
fn a_report_without_details_is_one_upsert() {
    let world = World::new();
    for (device, reason) in [("d1", "new"), ("d1", "new_too"), ("d2", "new")] {
        let before = world.platform.statements();
        world.report(device, &body(reason));
        let cost = world.platform.statements() - before;
        assert_eq!(cost, 4, "the schema, the key, how long to wait for the lock, and one upsert");
    }
    assert_eq!(world.sql("SELECT * FROM report_groups").len(), 2);
}

#[test]
fn the_route_can_be_off() {
    let world = World::new();
    world.platform.set_variable("reports_enabled", "false");
    assert_eq!(world.report("d", &body("a")).error(), (404, "not found"));
    assert_eq!(world.send("POST", "/reports/ingest", &[], "").error(), (404, "not found"));
}

#[test]
fn details_are_stored() {
    let world = World::new();
    let answer = world.report("d", &with_details("segv", b"{\"log\":\"x\"}"));
    assert_eq!((answer.status, &answer.body["stored_details"]), (202, &json!(true)));
    let asked = world.storage.lock().unwrap().clone();
    assert_eq!(asked.len(), 1);
    assert!(asked[0].starts_with(&format!("PUT /priv/reports/notes/2026/11/21/{HASH}-")), "{asked:?}");
    assert!(asked[0].ends_with(".json.gz"));
    assert_eq!(world.group()["stats"]["details_stored"], 1);
    assert!(world.sql("SELECT * FROM object_claims").is_empty());
}

#[test]
fn older_details_make_room() {
    let world = World::new();
    world.platform.set_variable("reports_max_blobs_per_group", "2");
    for device in 0..4 {
        world.platform.advance(std::time::Duration::from_secs(1));
        assert_eq!(
            world.report(&format!("d{device}"), &with_details("a", b"{}")).body["stored_details"],
            true
        );
    }
    let asked = world.storage.lock().unwrap().clone();
    let (put, deleted): (Vec<_>, Vec<_>) = asked.iter().partition(|line| line.starts_with("PUT"));
    assert_eq!((put.len(), deleted.len()), (4, 2));
    for (put, deleted) in put.iter().zip(deleted) {
        assert_eq!(put.strip_prefix("PUT"), deleted.strip_prefix("DELETE"));
    }
    assert_eq!(world.sql("SELECT * FROM report_blobs").len(), 2);
    assert_eq!(world.group()["stats"]["details_stored"], 4);
}

#[test]
fn refused_details_leave_the_count() {
    let world = World::new();
    world.platform.set_variable("reports_max_details_compressed_bytes", "2000");
    world.platform.set_variable("reports_max_details_decompressed_bytes", "1000");
    let mut sent = with_details("a", b"{}");
    let bomb = with_details("a", &vec![b' '; 1 << 20]);
    let noise: Vec<u8> =
        std::iter::successors(Some(1_u32), |n| Some(n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)))
            .map(|n| n.to_be_bytes()[0])
            .take(6000)
            .collect();
    let mut faults = vec![
        (bomb, 413, "decompressed details too large"),
        (with_details("a", &noise), 413, "compressed details too large"),
        (with_details("a", b"[]"), 400, "invalid details.payload"),
    ];
    sent["details"]["payload"] = json!("AAAA");
    faults.push((sent, 400, "invalid details.payload"));
    for (number, (sent, status, text)) in faults.iter().enumerate() {
        assert_eq!(world.report(&format!("d{number}"), sent).error(), (*status, *text));
    }
    let stats = &world.group()["stats"];
    assert_eq!(
        (&stats["count"], &stats["details_rejected"], &stats["details_stored"]),
        (&json!(4), &json!(4), &json!(0))
    );
    assert!(world.storage.lock().unwrap().is_empty());
}

#[test]
fn a_storage_that_is_down_costs_the_details_only() {
    let world = World::new();
    world.platform.fail_http(true);
    let answer = world.report("d", &with_details("a", b"{}"));
    assert_eq!((answer.status, &answer.body["stored_details"]), (202, &json!(false)));
    let stats = &world.group()["stats"];
    assert_eq!((&stats["count"], &stats["details_rejected"]), (&json!(1), &json!(1)));
    assert!(world.sql("SELECT * FROM report_blobs").is_empty());
    // Maintenance deletes an object that may have reached the storage after all.
    assert_eq!(world.sql("SELECT * FROM object_claims").len(), 1);
}

#[test]
fn a_report_that_cannot_be_counted_may_come_again() {
    let world = World::new();
    world.sql("ALTER TABLE report_groups RENAME COLUMN reason TO reasons");
    let answer = world.report("d", &body("a"));
    assert_eq!((answer.status, &answer.body), (500, &json!({ "error": "internal error" })));
    world.sql("ALTER TABLE report_groups RENAME COLUMN reasons TO reason");
    assert_eq!(world.report("d", &body("a")).status, 202);
}
