//! An edge deployment: `deploy/edge/spin.toml` in front of some world.

use std::net::TcpListener;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::{Value, json};
use spindrift_core::ScopeRecord;
use spindrift_native::NativePlatform;
use tempfile::TempDir;

use crate::client::{Call, Client};
use crate::driver::Driver;
use crate::embedded;
use crate::in_process::Bound;
use crate::spin::Spin;
use crate::wait::until;
use crate::world::{Running, Variables, World};

/// The key-value store's file in the state folder.
const KEY_VALUE_FILE: &str = "sqlite_key_value.db";
/// How long an origin may take to end.
const END_LIMIT: Duration = Duration::from_secs(30);

/// A running edge deployment with a key-value store of its own, and nothing else.
pub struct Edge {
    running: Running,
    dir: TempDir,
    client: Client,
}

impl Edge {
    /// An edge of a world, which becomes its origin.
    pub fn of(origin: &World, driver: Driver) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let origin_url = ("origin_url".to_owned(), origin.url());
        let variables = Variables::from([origin_url]);
        let running = match driver {
            Driver::InProcess => {
                let platform = NativePlatform::new(dir.path());
                for (name, value) in &variables {
                    platform.set_variable(name, value);
                }
                platform.set_variable("telemetry_enabled", "false");
                platform.fail_sql(true);
                Running::InProcess(Bound::new().serve(platform))
            }
            Driver::Embedded => Running::Embedded(Box::new(embedded::start_edge(dir.path(), variables))),
            Driver::Spin => Running::Spin(Spin::start_edge(dir.path(), &variables)),
        };
        let client = Client::new(&running.url());
        Self { running, dir, client }
    }

    /// GET without credentials.
    pub fn get(&self, path: &str) -> Call<'_> {
        self.client.get(path)
    }

    /// HEAD without credentials.
    pub fn head(&self, path: &str) -> Call<'_> {
        self.client.head(path)
    }

    /// Lets so many seconds go by for everything that the edge knows.
    pub fn age(&self, seconds: i64) {
        if let Running::InProcess(server) = &self.running {
            server.platform().advance(Duration::from_secs(seconds.unsigned_abs()));
            return;
        }
        let store = Connection::open(self.dir.path().join(KEY_VALUE_FILE)).expect("the key-value store");
        store.busy_timeout(Duration::from_secs(30)).expect("a time-out");
        let mut query = store.prepare("SELECT key, value FROM spin_key_value").expect("a query");
        let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        let entries: Vec<(String, Vec<u8>)> = rows.collect::<Result<_, _>>().expect("entries");
        for (key, value) in entries {
            let older = if key.starts_with("scope.") {
                older_scope_record(&value, seconds)
            } else {
                older_updater_record(&value, seconds)
            };
            let changed = (older, key);
            store.execute("UPDATE spin_key_value SET value = ? WHERE key = ?", changed).expect("a change");
        }
    }
}

/// A scope record of the key-value store: one byte, then postcard.
fn older_scope_record(value: &[u8], seconds: i64) -> Vec<u8> {
    let (mark, record) = value.split_at(1);
    let mut record: ScopeRecord = postcard::from_bytes(record).expect("a record");
    record.derived_at = record.derived_at.plus_seconds(-seconds);
    postcard::to_extend(&record, mark.to_vec()).expect("a record")
}

/// A record of a native updater, which is JSON and has a scope record inside.
fn older_updater_record(value: &[u8], seconds: i64) -> Vec<u8> {
    let mut record: Value = serde_json::from_slice(value).expect("a record");
    let derived_at = &mut record["scope"]["derived_at"];
    *derived_at = json!(derived_at.as_i64().expect("a point in time") - seconds * 1000);
    record.to_string().into_bytes()
}

/// Ends a world. From now on everybody who connects to its address is turned away, and nobody else gets it.
pub fn end(origin: World) {
    let address = origin.url().trim_start_matches("http://").to_owned();
    drop(origin);
    let listener = until("the origin's end", END_LIMIT, || TcpListener::bind(&address).ok());
    std::thread::spawn(move || listener.incoming().for_each(drop));
}
