//! `GET /telemetry`.

use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_core::Day;
use spindrift_db::telemetry_fold;

use crate::world::World;

/// Three days: `a` updates, `b` stays on the old version, `c` is in beta, `d` appears only on the first day.
fn known_distribution() -> World {
    let world = World::new();
    let day = Duration::from_hours(24);
    let beta = "app_name=notes&version=1.2.0-beta&channel=beta&platform=linux&arch=amd64&owner=ada";
    world.beacon("a", "1.0.0", "");
    world.beacon("b", "1.0.0", "");
    world.beacon("d", "1.0.0", "");
    world.platform.advance(day);
    world.beacon("a", "1.1.0", "");
    world.beacon("a", "1.1.0", "");
    world.beacon_of("c", beta);
    world.platform.advance(day);
    world.beacon("b", "1.0.0", "");
    world.beacon_of("c", beta);
    world
}

#[test]
fn figures_of_a_week_count_each_client_once() {
    let figures = known_distribution().figures("ada", "range=week");
    assert_eq!(figures["date"], "2026-11-23");
    assert_eq!(
        (figures["date_range"].as_array().unwrap().len(), &figures["date_range"][0]),
        (7, &json!("2026-11-17"))
    );
    assert_eq!(figures["admin"], "ada");
    assert_eq!(
        figures["summary"],
        json!({"total_requests": 8, "unique_clients": 4, "clients_using_latest_version": 2, "clients_outdated": 2, "total_active_apps": 1})
    );
    assert_eq!(
        figures["versions"],
        json!({"used_versions_count": 3, "known_versions": ["1.2.0-beta", "1.1.0", "1.0.0"], "usage": [
            {"version": "1.0.0", "client_count": 2}, {"version": "1.1.0", "client_count": 1}, {"version": "1.2.0-beta", "client_count": 1}]})
    );
    assert_eq!(figures["platforms"], json!([{"platform": "linux", "client_count": 4}]));
    assert_eq!(figures["architectures"], json!([{"arch": "amd64", "client_count": 4}]));
    assert_eq!(
        figures["channels"],
        json!([{"channel": "stable", "client_count": 3}, {"channel": "beta", "client_count": 1}])
    );
    assert_eq!(figures["daily_stats"][3]["total_requests"], 0);
    assert_eq!(
        figures["daily_stats"][5],
        json!({"date": "2026-11-22", "total_requests": 3, "unique_clients": 2, "clients_using_latest_version": 2, "clients_outdated": 0})
    );
}

#[test]
fn figures_of_a_day_and_filters() {
    let world = known_distribution();
    let summary = |query: &str| {
        let summary = world.figures("ada", query)["summary"].clone();
        (summary["total_requests"].as_u64().unwrap(), summary["unique_clients"].as_u64().unwrap())
    };
    for (query, expected) in [
        ("", (2, 2)),
        ("date=2026-11-21", (3, 3)),
        ("date=2026-11-20", (0, 0)),
        ("range=week&channels=beta", (2, 1)),
        ("range=month&channels=beta,stable&platforms=linux&architectures=amd64&apps=notes,todo", (8, 4)),
        ("range=week&apps=todo", (0, 0)),
        ("range=week&apps=unknown", (0, 0)),
        ("range=week&architectures=arm64", (0, 0)),
    ] {
        assert_eq!(summary(query), expected, "{query}");
    }
}

#[test]
fn figures_need_permission() {
    let world = known_distribution();
    for (name, allowed) in [("bob", "[\"notes\"]"), ("eve", "[\"todo\"]")] {
        world.sql(&format!(
            "INSERT INTO users (id, username, owner_id, password_hash, permissions, created_at, updated_at) \
             VALUES ('{name}', '{name}', 'u', '', '{{\"apps\":{{\"allowed\":{allowed}}}}}', 0, 0)"
        ));
    }
    assert_eq!(world.figures("bob", "")["summary"]["unique_clients"], 2);
    assert_eq!(world.figures("eve", "")["summary"]["unique_clients"], 0);
    assert_eq!(world.figures("eve", "")["versions"]["known_versions"], json!([]));
    assert_eq!(world.get("/telemetry", &[]).0, 401);
}

#[test]
fn old_days_are_deleted_piece_by_piece() {
    let world = known_distribution();
    let before: Day = "2026-11-23".parse().unwrap();
    let delete = || spindrift_db::telemetry::delete_before(&world.conn(), before, 3).unwrap();
    assert_eq!((delete(), delete(), delete()), (3, 2, 0));
    assert_eq!(world.rows(), 2);
}

/// 100,000 devices on each of seven days.
const DEVICES: u64 = 100_000;

#[test]
fn the_cost_of_many_devices() {
    let world = World::new();
    world.sql(&format!(
        "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {DEVICES}), \
          d(day) AS (VALUES (20772) UNION ALL SELECT day + 1 FROM d WHERE day < 20778) \
         INSERT INTO telemetry SELECT day, 'notes', (i * 7919) % {DEVICES} * 92233720368547, '1.' || (i % 12) || '.0', 'stable', 'linux', \
          CASE i % 3 WHEN 0 THEN 'arm64' ELSE 'amd64' END, i % 2, 3 FROM d CROSS JOIN n"
    ));
    ask_for_many(&world, "");
    let (today, last) = (Day::from_number(20_778), Day::from_number(20_777));
    let started = Instant::now();
    while telemetry_fold::fold(&world.conn(), today, last, 5_000).unwrap() == 5_000 {}
    println!("{} devices folded: {} ms", DEVICES * 6, started.elapsed().as_millis());
    ask_for_many(&world, ", folded");
}

fn ask_for_many(world: &World, state: &str) {
    for query in ["", "date=2026-11-20", "range=week", "range=week&architectures=arm64"] {
        let started = Instant::now();
        let figures = world.figures("ada", query);
        let elapsed = started.elapsed();
        println!("{DEVICES} devices a day{state}, `{query}`: {} ms", elapsed.as_millis());
        let clients = figures["summary"]["unique_clients"].as_u64().unwrap();
        assert_eq!(clients, if query.ends_with("arm64") { DEVICES.div_ceil(3) } else { DEVICES });
        assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    }
}

#[test]
fn versions_spread_day_by_day() {
    let world = known_distribution();
    let adoption = world.ask("ada", "/telemetry/adoption?app=notes&range=week");
    assert_eq!((adoption["days"].as_array().unwrap().len(), &adoption["days"][6]), (7, &json!("2026-11-23")));
    assert_eq!(
        adoption["versions"],
        json!([
            {"version": "1.2.0-beta", "clients": [0, 0, 0, 0, 0, 1, 1]},
            {"version": "1.1.0", "clients": [0, 0, 0, 0, 0, 1, 0]},
            {"version": "1.0.0", "clients": [0, 0, 0, 0, 3, 0, 1]},
        ])
    );
    assert_eq!(adoption["other"], json!([0, 0, 0, 0, 0, 0, 0]));
}

#[test]
fn versions_beyond_the_eighth_are_others() {
    let world = World::new();
    for minor in 0..10 {
        for device in 0..=minor {
            world.beacon(&format!("{minor}-{device}"), &format!("3.{minor}.0"), "");
        }
    }
    let adoption = world.ask("ada", "/telemetry/adoption?app=notes&range=quarter");
    assert_eq!(adoption["days"].as_array().unwrap().len(), 90);
    let versions: Vec<&str> =
        adoption["versions"].as_array().unwrap().iter().map(|v| v["version"].as_str().unwrap()).collect();
    assert_eq!(versions, ["3.9.0", "3.8.0", "3.7.0", "3.6.0", "3.5.0", "3.4.0", "3.3.0", "3.2.0"]);
    assert_eq!((&adoption["versions"][0]["clients"][89], &adoption["other"][89]), (&json!(10), &json!(3)));
    let month = world.ask("ada", "/telemetry/adoption?app=notes");
    assert_eq!((month["days"].as_array().unwrap().len(), &month["other"][29]), (30, &json!(3)));
}
