//! The component as its callers see it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what a test cannot go on without is its failure")]

use std::time::{Duration, Instant};

use futures::executor::block_on;
use serde_json::{Value, json};
use spindrift_auth::JwtKey;
use spindrift_core::{Day, Id, Timestamp};
use spindrift_db::{SqlConn as _, SqlValue};
use spindrift_native::{NativeConn, NativePlatform};
use spindrift_web::{Body, Clock as _, Request};

const SECRET: &str = "a secret of at least thirty-two bytes";
/// 2026-11-21T01:43:42Z.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

struct World {
    platform: NativePlatform,
    _dir: tempfile::TempDir,
}

impl World {
    /// Ada's `notes` has 1.0.0 and 1.1.0 in stable/linux/amd64 and beta/linux/amd64; `todo` has nothing published.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let platform = NativePlatform::new(dir.path())
            .with_time(NOW)
            .with_variable("jwt_secret", SECRET)
            .with_variable("device_hash_key", "key of devices")
            .with_variable("s3_public_url", "http://storage.example/pub");
        let world = Self { platform, _dir: dir };
        let now = "0, 0";
        world.sql(&format!("INSERT INTO users (id, username, password_hash, created_at, updated_at) VALUES ('u', 'ada', '', {now})"));
        for table in ["apps (id, owner_id, name", "channels (id, owner_id, name", "archs (id, owner_id, name"]
        {
            let names: &[&str] = match table.as_bytes()[1] {
                b'p' => &["notes", "todo"],
                b'h' => &["stable", "beta"],
                _ => &["amd64"],
            };
            for name in names {
                world.sql(&format!(
                    "INSERT INTO {table}, created_at, updated_at) VALUES ('{name}', 'u', '{name}', {now})"
                ));
            }
        }
        world.sql(&format!("INSERT INTO platforms (id, owner_id, name, updaters, created_at, updated_at) VALUES ('linux', 'u', 'linux', '[]', {now})"));
        for (version, channel) in [("1.0.0", "stable"), ("1.1.0", "stable"), ("1.2.0-beta", "beta")] {
            world.release(version, channel);
        }
        world
    }

    fn release(&self, version: &str, channel: &str) {
        let key = version.parse::<spindrift_core::Version>().unwrap().sort_key();
        self.sql(&format!(
            "INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, rollout_seed, created_at, updated_at) \
             VALUES ('{version}', 'u', 'notes', '{version}', '{key}', '{channel}', 1, 's', 0, 0)"
        ));
        self.sql(&format!(
            "INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, bucket, storage_key, size, md5, created_at) \
             VALUES ('{version}', '{version}', 'notes', 'linux', 'amd64', 'deb', 'deb', 'manual', 'n.deb', 'public', '{version}.deb', 1, '', 0)"
        ));
    }

    fn conn(&self) -> NativeConn {
        spindrift_db::open(&self.platform, self.platform.now()).unwrap()
    }

    fn sql(&self, sql: &str) -> Vec<Vec<SqlValue>> {
        self.conn().run(sql, &[]).unwrap()
    }

    fn get(&self, uri: &str, headers: &[(&str, &str)]) -> (u16, Value) {
        let mut builder = http::Request::builder().uri(uri);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (parts, ()) = builder.body(()).unwrap().into_parts();
        let request = Request::new(parts, Box::pin(futures::stream::empty()));
        let reply = block_on(component_telemetry::handle(self.platform.clone(), request));
        if let Some(after) = reply.after {
            block_on(after);
        }
        let status = reply.response.status().as_u16();
        let Body::Full(bytes) = reply.response.into_body() else { panic!("a full body") };
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    fn beacon(&self, device: &str, version: &str, more: &str) -> (u16, String) {
        let query = format!(
            "app_name=notes&version={version}&channel=stable&platform=linux&arch=amd64&owner=ada{more}"
        );
        self.beacon_of(device, &query)
    }

    fn beacon_of(&self, device: &str, query: &str) -> (u16, String) {
        let headers: &[(&str, &str)] = if device.is_empty() { &[] } else { &[("x-device-id", device)] };
        let (status, body) = self.get(&format!("/telemetry/beacon?{query}"), headers);
        (status, body["error"].as_str().unwrap_or_default().to_owned())
    }

    fn figures(&self, who: &str, query: &str) -> Value {
        let key = JwtKey::new(SECRET).unwrap();
        let id = Id::from_text(if who == "ada" { "u" } else { who });
        let token = key.issue(&id, &who.parse().unwrap(), self.platform.now()).unwrap();
        let (status, body) =
            self.get(&format!("/telemetry?{query}"), &[("authorization", &format!("Bearer {token}"))]);
        assert_eq!(status, 200, "{body}");
        body
    }

    fn rows(&self) -> usize {
        self.sql("SELECT 1 FROM telemetry").len()
    }
}

fn expect(status: u16, text: &str) -> (u16, String) {
    (status, text.to_owned())
}

#[test]
fn a_beacon_is_counted_once_a_day() {
    let world = World::new();
    for version in ["1.0.0", "9.9", "v1.1.0"] {
        assert_eq!(world.beacon("device one", version, ""), expect(204, ""));
    }
    let rows =
        world.sql("SELECT day, app_id, version, channel, platform, arch, is_latest, requests FROM telemetry");
    let expected = [
        20_778.into(),
        "notes".into(),
        "1.1.0".into(),
        "stable".into(),
        "linux".into(),
        "amd64".into(),
        1.into(),
        3.into(),
    ];
    assert_eq!(rows, [expected]);
    world.platform.advance(Duration::from_hours(24));
    world.beacon("device one", "1.0.0", "");
    assert_eq!(
        world.sql("SELECT is_latest FROM telemetry ORDER BY day DESC LIMIT 1"),
        [[SqlValue::Integer(0)]]
    );
    assert_eq!(world.rows(), 2);
    assert!(!format!("{:?}", world.sql("SELECT * FROM telemetry")).contains("device one"));
}

#[test]
fn what_the_device_says_about_itself_counts() {
    let world = World::new();
    world.beacon("d", "1.0.0", "&is_latest=true");
    assert_eq!(world.sql("SELECT is_latest FROM telemetry"), [[SqlValue::Integer(1)]]);
    world.beacon("d", "1.1.0", "&is_latest=false");
    assert_eq!(world.sql("SELECT is_latest FROM telemetry"), [[SqlValue::Integer(0)]]);
}

#[test]
fn beacons_that_are_refused_store_nothing() {
    let world = World::new();
    let good = "app_name=notes&version=1&channel=stable&platform=linux&arch=amd64&owner=ada";
    assert_eq!(world.beacon_of("", good), expect(400, "missing X-Device-ID"));
    assert_eq!(world.beacon_of(&"d".repeat(129), good), expect(400, "invalid X-Device-ID parameter"));
    for name in ["app_name", "version", "channel", "platform", "arch", "owner"] {
        let without: Vec<&str> = good.split('&').filter(|pair| !pair.starts_with(name)).collect();
        assert_eq!(world.beacon_of("d", &without.join("&")), expect(400, &format!("missing {name}")));
        let bad = format!("{name}=a%2Fb&{good}");
        assert_eq!(world.beacon_of("d", &bad), expect(400, &format!("invalid {name} parameter")));
        if name != "version" {
            let unknown = format!("{name}=unknown&{good}");
            assert_eq!(world.beacon_of("d", &unknown), expect(404, "unknown scope"), "{name}");
        }
    }
    assert_eq!(world.beacon("d", "1", "&is_latest=1"), expect(400, "invalid is_latest parameter"));
    assert_eq!(world.beacon_of("d", &format!("app_name=todo&{good}")), expect(404, "unknown scope"));
    world.platform.set_variable("device_hash_key", "");
    assert_eq!(world.beacon("d", "1", ""), expect(503, "the setting device_hash_key is missing"));
    world.platform.set_variable("telemetry_enabled", "false");
    assert_eq!(world.beacon("d", "1", ""), expect(403, "telemetry is disabled"));
    assert_eq!(world.rows(), 0);
}

#[test]
fn a_write_that_fails_changes_no_answer() {
    let world = World::new();
    world.beacon("d", "1", "");
    world.platform.fail_sql(true);
    // The scope is known from the key-value store.
    assert_eq!(world.beacon("e", "1", ""), expect(204, ""));
    world.platform.fail_sql(false);
    assert_eq!(world.rows(), 1);
}

/// Over three days: `a` updates, `b` stays old, `c` is in beta, `d` was there only at first.
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
fn who_may_see_figures() {
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
#[test]
fn the_cost_of_many_devices() {
    const DEVICES: u64 = 100_000;
    let world = World::new();
    world.sql(&format!(
        "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < {DEVICES}), \
          d(day) AS (VALUES (20772) UNION ALL SELECT day + 1 FROM d WHERE day < 20778) \
         INSERT INTO telemetry SELECT day, 'notes', (i * 7919) % {DEVICES} * 92233720368547, '1.' || (i % 12) || '.0', 'stable', 'linux', \
          CASE i % 3 WHEN 0 THEN 'arm64' ELSE 'amd64' END, i % 2, 3 FROM d CROSS JOIN n"
    ));
    for query in ["", "range=week", "range=week&architectures=arm64"] {
        let started = Instant::now();
        let figures = world.figures("ada", query);
        let elapsed = started.elapsed();
        println!("{DEVICES} devices a day, `{query}`: {} ms", elapsed.as_millis());
        let clients = figures["summary"]["unique_clients"].as_u64().unwrap();
        assert_eq!(clients, if query.ends_with("arm64") { DEVICES.div_ceil(3) } else { DEVICES });
        assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    }
}
