//! Tests of how checks count devices.
#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::executor::block_on;
use spindrift_core::Timestamp;
use spindrift_db::{SqlConn as _, SqlValue};
use spindrift_native::NativePlatform;
use spindrift_web::{Clock as _, Request};

/// 2026-11-21T01:43:42Z, day 20778.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

/// An owner without channels, platforms and architectures, with one release.
const WORLD: [&str; 4] = [
    "INSERT INTO users (id, username, password_hash, created_at, updated_at) VALUES ('u', 'ada', '', 0, 0)",
    "INSERT INTO apps (id, owner_id, name, created_at, updated_at) VALUES ('a', 'u', 'notes', 0, 0), ('b', 'u', 'todo', 0, 0)",
    "INSERT INTO releases (id, owner_id, app_id, version, version_key, published, rollout_bp, rollout_seed, created_at, updated_at) \
     VALUES ('r', 'u', 'a', '2.0', 'x', 1, 10000, 's', 0, 0)",
    "INSERT INTO artifacts (id, release_id, app_id, package, slot, updater, file_name, bucket, storage_key, size, md5, created_at) \
     VALUES ('x', 'r', 'a', 'deb', 'deb', 'manual', 'n.deb', 'public', 'n.deb', 1, '', 0)",
];

fn sql(platform: &NativePlatform, sql: &str) -> Vec<Vec<SqlValue>> {
    spindrift_db::open(platform, platform.now()).unwrap().run(sql, &[]).unwrap().values
}

fn check(platform: &NativePlatform, app: &str, version: &str, device: &str) -> u16 {
    let uri = format!("/checkVersion?app_name={app}&version={version}&owner=ada");
    let (parts, ()) =
        http::Request::builder().uri(uri).header("x-device-id", device).body(()).unwrap().into_parts();
    let request = Request::new(parts, Box::pin(futures::stream::empty()));
    let reply = block_on(component_check::handle(platform.clone(), request));
    if let Some(after) = reply.after {
        block_on(after);
    }
    reply.response.status().as_u16()
}

#[test]
fn a_check_with_a_device_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let platform = NativePlatform::new(dir.path())
        .with_time(NOW)
        .with_variable("device_hash_key", "key of devices")
        .with_variable("s3_public_url", "http://storage.example/pub");
    for statement in WORLD {
        sql(&platform, statement);
    }
    for (app, version, device, status) in [
        ("notes", "1.0", "d", 200),
        ("notes", "1.1", "d", 200),
        ("notes", "2.0", "e", 200),
        // Devices are counted even without a published release.
        ("todo", "1.0", "d", 200),
        // Not counted: an invalid device id, an unknown application.
        ("notes", "1.0", "", 200),
        ("other", "1.0", "d", 404),
    ] {
        assert_eq!(check(&platform, app, version, device), status, "{app} {version} {device}");
    }
    let counted = || {
        sql(
            &platform,
            "SELECT day, app_id, version, channel, is_latest, requests FROM telemetry ORDER BY app_id, version",
        )
    };
    let row = |app: &str, version: &str, latest: i64, requests: i64| {
        vec![20_778_i64.into(), app.into(), version.into(), "".into(), latest.into(), requests.into()]
    };
    assert_eq!(counted(), [row("a", "1.1", 0, 2), row("a", "2.0", 1, 1), row("b", "1.0", 1, 1)]);
    for value in ["false", "perhaps"] {
        platform.set_variable("telemetry_enabled", value);
        assert_eq!(check(&platform, "notes", "1.0", "f"), 200);
    }
    assert_eq!(counted().len(), 3);
}

/// Nobody waits for it, and it ends: half a minute later, by the platform's clock.
#[test]
fn a_locked_database_is_given_up() {
    let dir = tempfile::tempdir().unwrap();
    let platform =
        NativePlatform::new(dir.path()).with_time(NOW).with_variable("device_hash_key", "key of devices");
    for statement in WORLD {
        sql(&platform, statement);
    }
    let writer = spindrift_db::open(&platform, NOW).unwrap();
    writer.run("BEGIN IMMEDIATE", &[]).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let clock = platform.clone();
        scope.spawn(|| {
            let clock = clock;
            while !is_done.load(Ordering::Relaxed) {
                clock.advance(Duration::from_secs(31));
                std::thread::yield_now();
            }
        });
        assert_eq!(check(&platform, "notes", "1.0", "d"), 200);
        is_done.store(true, Ordering::Relaxed);
    });
    writer.run("ROLLBACK", &[]).unwrap();
    assert_eq!(sql(&platform, "SELECT count(*) FROM telemetry"), [[SqlValue::Integer(0)]]);
}
