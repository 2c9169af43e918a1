//! The kept records in the key-value store of a deployment.

use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use spindrift_core::{LatestRecord, ScopeRecord};

use crate::redis::Redis;
use crate::state::{KEY_VALUE_FILE, entries};

/// Makes all kept records of a deployment older by `seconds`.
pub(crate) fn age(state_dir: &Path, seconds: i64) {
    let store = Connection::open(state_dir.join(KEY_VALUE_FILE)).expect("the key-value store");
    store.busy_timeout(Duration::from_secs(30)).expect("a time-out");
    for (key, value) in entries(&store) {
        if let Some(older) = older(&key, &value, seconds) {
            store
                .execute("UPDATE spin_key_value SET value = ? WHERE key = ?", (older, key))
                .expect("a change");
        }
    }
}

/// Like [`age`], in Redis.
pub(crate) fn age_in_redis(redis: &Redis, seconds: i64) {
    for key in redis.keys() {
        if let Some(older) = redis.get(&key).and_then(|value| older(&key, &value, seconds)) {
            redis.set(&key, &older);
        }
    }
}

/// An older copy of a record. `None`: the value is not a record.
fn older(key: &str, value: &[u8], seconds: i64) -> Option<Vec<u8>> {
    match key.split('.').next() {
        Some("scope") => Some(older_postcard(value, |record: &mut ScopeRecord| {
            record.derived_at = record.derived_at.plus_seconds(-seconds);
        })),
        Some("latest") => Some(older_postcard(value, |record: &mut LatestRecord| {
            record.stamp.derived_at = record.stamp.derived_at.plus_seconds(-seconds);
        })),
        Some("feed") => Some(older_updater_record(value, seconds)),
        _ => None,
    }
}

/// A record in the key-value store: one byte, followed by postcard.
fn older_postcard<R: Serialize + DeserializeOwned>(value: &[u8], change: impl Fn(&mut R)) -> Vec<u8> {
    let (mark, record) = value.split_at(1);
    let mut record: R = postcard::from_bytes(record).expect("a record");
    change(&mut record);
    postcard::to_extend(&record, mark.to_vec()).expect("a record")
}

/// A record of a native updater: JSON that contains a scope record.
fn older_updater_record(value: &[u8], seconds: i64) -> Vec<u8> {
    let mut record: Value = serde_json::from_slice(value).expect("a record");
    let derived_at = &mut record["scope"]["derived_at"];
    *derived_at = json!(derived_at.as_i64().expect("a point in time") - seconds * 1000);
    record.to_string().into_bytes()
}
