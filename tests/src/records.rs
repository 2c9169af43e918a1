//! The stored records in the key-value store of a deployment.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use spindrift_core::{KnownNames, LatestRecord, OwnerRevisions, ScopeRecord, Timestamp};

use crate::redis::Redis;
use crate::state::{KEY_VALUE_FILE, entries};

/// Changes when records were derived.
pub(crate) type Derived<'a> = &'a dyn Fn(Timestamp) -> Timestamp;

/// Changes all stored records of a deployment, in one transaction.
pub(crate) fn change(state_dir: &Path, derived: Derived<'_>) {
    let mut store = Connection::open(state_dir.join(KEY_VALUE_FILE)).expect("the key-value store");
    store.busy_timeout(Duration::from_secs(30)).expect("a time-out");
    let store = store.transaction_with_behavior(TransactionBehavior::Immediate).expect("a transaction");
    // Keys alone are not indexed.
    let mut query = store.prepare("SELECT key, rowid FROM spin_key_value").expect("a query");
    let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    let rows: BTreeMap<String, i64> = rows.collect::<Result<_, _>>().expect("rows");
    let mut update = store.prepare("UPDATE spin_key_value SET value = ? WHERE rowid = ?").expect("a change");
    for (key, value) in changed(entries(&store), derived) {
        update.execute((value, rows[&key])).expect("a change");
    }
    drop((query, update));
    store.commit().expect("the changes");
}

/// Like [`change`], in Redis.
pub(crate) fn change_in_redis(redis: &Redis, derived: Derived<'_>) {
    redis.set(changed(redis.entries(), derived));
}

/// The records among these entries, changed.
fn changed(entries: Vec<(String, Vec<u8>)>, derived: Derived<'_>) -> impl Iterator<Item = (String, Vec<u8>)> {
    entries.into_iter().filter_map(move |(key, value)| {
        let value = other(&key, &value, derived)?;
        Some((key, value))
    })
}

/// A changed copy of a record. `None`: the value is not a record.
fn other(key: &str, value: &[u8], derived: Derived<'_>) -> Option<Vec<u8>> {
    match key.split('.').next() {
        Some("scope") => Some(other_postcard(value, |record: &mut ScopeRecord| {
            record.derived_at = derived(record.derived_at);
        })),
        Some("latest") => Some(other_postcard(value, |record: &mut LatestRecord| {
            record.stamp.derived_at = derived(record.stamp.derived_at);
        })),
        Some("names" | "owners") => Some(other_postcard(value, |record: &mut KnownNames| {
            record.derived_at = derived(record.derived_at);
        })),
        Some("revisions") => Some(other_postcard(value, |record: &mut OwnerRevisions| {
            record.derived_at = derived(record.derived_at);
        })),
        Some("feed") => Some(other_updater_record(value, derived)),
        _ => None,
    }
}

/// A record in the key-value store: one byte, followed by postcard.
fn other_postcard<R: Serialize + DeserializeOwned>(value: &[u8], change: impl Fn(&mut R)) -> Vec<u8> {
    let (mark, record) = value.split_at(1);
    let mut record: R = postcard::from_bytes(record).expect("a record");
    change(&mut record);
    postcard::to_extend(&record, mark.to_vec()).expect("a record")
}

/// A record of a native updater: JSON that contains a scope record.
fn other_updater_record(value: &[u8], derived: Derived<'_>) -> Vec<u8> {
    let mut record: Value = serde_json::from_slice(value).expect("a record");
    let derived_at = &mut record["scope"]["derived_at"];
    let before = Timestamp::from_millis(derived_at.as_i64().expect("a point in time"));
    *derived_at = json!(derived(before).as_millis());
    record.to_string().into_bytes()
}
