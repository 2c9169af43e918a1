//! Figures are the same however far days are folded.

use serde_json::{Value, json};
use spindrift_core::{Day, Id};
use spindrift_db::{overview, telemetry_fold};

use crate::world::World;

/// 2026-11-21.
const TODAY: i64 = 20_778;
const QUERIES: &[&str] = &[
    "/telemetry",
    "/telemetry?date=2026-11-20",
    "/telemetry?date=2026-11-02&channels=beta",
    "/telemetry?range=week",
    "/telemetry?range=month",
    "/telemetry?range=quarter&apps=notes",
    "/telemetry?range=month&date=2026-11-10",
    "/telemetry?range=month&channels=beta",
    "/telemetry?range=week&platforms=linux&architectures=arm64,amd64",
    "/telemetry/adoption?app=notes&range=month",
    "/telemetry/adoption?app=todo&range=quarter",
    "/telemetry/overview",
    "/telemetry/overview?limit=1",
];

/// Devices that come and go over 40 days, and change what they run.
fn busy() -> World {
    let world = World::new();
    world.sql(&format!(
        "WITH RECURSIVE n (i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 29), \
          d (day) AS (VALUES ({TODAY} - 39) UNION ALL SELECT day + 1 FROM d WHERE day < {TODAY}) \
         INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests) \
         SELECT day, iif(i % 3, 'notes', 'todo'), i / 2 * 614891469123651721, '1.' || ((day + i) / 5 % 12) || '.0', \
          iif((day / 7 + i) % 4, 'stable', 'beta'), iif(i % 5, 'linux', ''), iif(i % 2, 'amd64', 'arm64'), (day + i) % 2, i + 1 \
         FROM d CROSS JOIN n WHERE (day * 7 + i * i) % (2 + i % 9) < 2 ON CONFLICT DO NOTHING"
    ));
    world
}

fn answers(world: &World) -> Vec<Value> {
    let (notes, todo) = (Id::from_text("notes"), Id::from_text("todo"));
    let month = Day::from_number(TODAY).month();
    // The service keeps this number for a while.
    let devices = overview::all_devices(&world.conn(), &[&notes, &todo], month).unwrap();
    let asked = QUERIES.iter().map(|query| world.ask("ada", query));
    asked.chain([json!(devices)]).collect()
}

fn fold(world: &World, today: i64, limit: u32) -> u64 {
    let (today, last) = (Day::from_number(today), Day::from_number(today - 1));
    telemetry_fold::fold(&world.conn(), today, last, limit).unwrap()
}

#[test]
fn figures_are_the_same_after_every_piece() {
    const PIECE: u32 = 37;
    let world = busy();
    let expected = answers(&world);
    assert!(expected[4]["summary"]["unique_clients"].as_u64().unwrap() > 15, "{}", expected[4]);
    let mut pieces = 0;
    while fold(&world, TODAY, PIECE) == u64::from(PIECE) {
        pieces += 1;
        assert_eq!(answers(&world), expected, "after {pieces} pieces");
    }
    assert!(pieces > 5, "{pieces}");
    assert_eq!(answers(&world), expected);
    // Past days are read from the folded rows.
    world.sql(&format!("DELETE FROM telemetry WHERE day < {TODAY}"));
    let folded = answers(&world);
    let filtered = |query: &str| query.contains("range") && (query.contains("s=") || query.contains("date="));
    for ((query, folded), expected) in QUERIES.iter().zip(&folded).zip(&expected) {
        assert_eq!(folded == expected, !filtered(query) || query.contains("apps="), "{query}");
    }
}

#[test]
fn folded_days_are_not_folded_again() {
    let world = busy();
    assert!(fold(&world, TODAY, 10_000) > 100);
    let expected = answers(&world);
    assert_eq!((fold(&world, TODAY, 10_000), fold(&world, TODAY, 1)), (0, 0));
    // Another host's clock is a little behind.
    let conn = world.conn();
    let (today, before) = (Day::from_number(TODAY), Day::from_number(TODAY - 2));
    assert_eq!(telemetry_fold::fold(&conn, today, before, 10_000).unwrap(), 0);
    assert_eq!(answers(&world), expected);
}

#[test]
fn folding_restarts_if_the_clock_is_set_back() {
    let (folded, never) = (busy(), busy());
    fold(&folded, TODAY + 5, 10_000);
    for world in [&folded, &never] {
        world.sql(&format!("UPDATE telemetry SET version = '9.0.0' WHERE day = {TODAY}"));
    }
    assert_ne!(answers(&folded), answers(&never));
    assert!(fold(&folded, TODAY, 10_000) > 100);
    assert_eq!(answers(&folded), answers(&never));
}

#[test]
fn folded_days_end_with_the_retention() {
    let world = busy();
    fold(&world, TODAY, 10_000);
    let count = |table: &str, day: i64| world.sql(&format!("SELECT 1 FROM {table} WHERE day < {day}")).len();
    for table in ["telemetry_days", "telemetry_devices"] {
        assert!(count(table, TODAY - 5) > 0, "{table}");
    }
    let delete = || telemetry_fold::delete_before(&world.conn(), Day::from_number(TODAY - 5), 20).unwrap();
    assert_eq!(delete(), 20);
    while delete() == 20 {}
    for table in ["telemetry_days", "telemetry_devices"] {
        assert_eq!(count(table, TODAY - 5), 0, "{table}");
        assert!(count(table, TODAY) > 0, "{table}");
    }
}
