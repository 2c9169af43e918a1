//! The world of one test.

use futures::executor::block_on;
use serde_json::Value;
use spindrift_auth::JwtKey;
use spindrift_core::{Id, Timestamp};
use spindrift_db::{SqlConn as _, SqlValue};
use spindrift_native::{NativeConn, NativePlatform};
use spindrift_web::{Clock as _, Request, ResponseBody};

const SECRET: &str = "a secret of at least thirty-two bytes";
/// 2026-11-21T01:43:42Z.
const NOW: Timestamp = Timestamp::from_millis(1_795_225_422_000);

pub(crate) struct World {
    pub(crate) platform: NativePlatform,
    _dir: tempfile::TempDir,
}

impl World {
    /// Ada's `notes` has 1.0.0 and 1.1.0 in stable/linux/amd64 and beta/linux/amd64; `todo` has nothing
    /// published.
    pub(crate) fn new() -> Self {
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
            "INSERT INTO releases (id, owner_id, app_id, version, version_key, channel_id, published, rollout_bp, rollout_seed, created_at, updated_at) \
             VALUES ('{version}', 'u', 'notes', '{version}', '{key}', '{channel}', 1, 10000, 's', 0, 0)"
        ));
        self.sql(&format!(
            "INSERT INTO artifacts (id, release_id, app_id, platform_id, arch_id, package, slot, updater, file_name, bucket, storage_key, size, md5, created_at) \
             VALUES ('{version}', '{version}', 'notes', 'linux', 'amd64', 'deb', 'deb', 'manual', 'n.deb', 'public', '{version}.deb', 1, '', 0)"
        ));
    }

    pub(crate) fn conn(&self) -> NativeConn {
        spindrift_db::open(&self.platform, self.platform.now()).unwrap()
    }

    pub(crate) fn sql(&self, sql: &str) -> Vec<Vec<SqlValue>> {
        self.conn().run(sql, &[]).unwrap().values
    }

    pub(crate) fn get(&self, uri: &str, headers: &[(&str, &str)]) -> (u16, Value) {
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
        let ResponseBody::Full(bytes) = reply.response.into_body() else { panic!("a full body") };
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    pub(crate) fn beacon(&self, device: &str, version: &str, more: &str) -> (u16, String) {
        let query = format!(
            "app_name=notes&version={version}&channel=stable&platform=linux&arch=amd64&owner=ada{more}"
        );
        self.beacon_of(device, &query)
    }

    pub(crate) fn beacon_of(&self, device: &str, query: &str) -> (u16, String) {
        let headers: &[(&str, &str)] = if device.is_empty() { &[] } else { &[("x-device-id", device)] };
        let (status, body) = self.get(&format!("/telemetry/beacon?{query}"), headers);
        (status, body["error"].as_str().unwrap_or_default().to_owned())
    }

    pub(crate) fn figures(&self, who: &str, query: &str) -> Value {
        self.ask(who, &format!("/telemetry?{query}"))
    }

    pub(crate) fn ask(&self, who: &str, uri: &str) -> Value {
        let key = JwtKey::new(SECRET).unwrap();
        let id = Id::from_text(if who == "ada" { "u" } else { who });
        let token = key.issue(&id, &who.parse().unwrap(), 0, None, self.platform.now()).unwrap();
        let (status, body) = self.get(uri, &[("authorization", &format!("Bearer {token}"))]);
        assert_eq!(status, 200, "{body}");
        body
    }

    pub(crate) fn rows(&self) -> usize {
        self.sql("SELECT 1 FROM telemetry").len()
    }
}
