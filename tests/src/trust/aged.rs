//! Repositories that have been there for some time.

use jiff::{SignedDuration, Timestamp};
use rusqlite::params;

use crate::storage::{PRIVATE_BUCKET, PUBLIC_BUCKET};
use crate::world::World;

const MILLIS_OF_A_DAY: i64 = 24 * 60 * 60 * 1000;
const EXPIRES: &str = "\"expires\":\"";
/// Length of `2026-11-22T08:22:20Z`.
const TIME_LENGTH: usize = 20;

/// Lets all metadata of the service's repositories end so many days earlier, as if that many had passed. The
/// storage's clock cannot be moved. Clients refuse the files, because their signatures are of others.
pub fn age(world: &World, days: i64) {
    let change = world.database();
    change.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
    let sql = "SELECT m.rowid, r.name, m.role, m.content FROM repository_metadata m \
         JOIN repositories r ON r.app_id = m.app_id";
    let files: Vec<(i64, String, String, String)> =
        change.query_rows(sql, [], |row| row.try_into()).expect("files");
    for (row, repository, role, content) in files {
        let older = earlier(&content, days);
        let sql =
            "UPDATE repository_metadata SET content = ?2, expires_at = expires_at - ?3 WHERE rowid = ?1";
        let _rows = change.execute(sql, params![row, older, days * MILLIS_OF_A_DAY]).expect("an older file");
        let key = format!("tuf_metadata/{repository}/timestamp.json");
        for bucket in [PUBLIC_BUCKET, PRIVATE_BUCKET] {
            if role == "timestamp" && world.store().object(bucket, &key).is_some() {
                world.store().write(bucket, &key, older.as_bytes());
            }
        }
    }
    let sql = "UPDATE repositories SET due_at = due_at - ?1, expires_at = expires_at - ?1";
    let _rows = change.execute(sql, [days * MILLIS_OF_A_DAY]).expect("older repositories");
    change.execute_batch("COMMIT").expect("a change");
}

fn earlier(content: &str, days: i64) -> String {
    let start = content.find(EXPIRES).expect("an end") + EXPIRES.len();
    let (before, rest) = content.split_at(start);
    let (time, after) = rest.split_at(TIME_LENGTH);
    let time: Timestamp = time.parse().expect("a time");
    let time = super::role::written(time - SignedDuration::from_hours(24 * days));
    format!("{before}{time}{after}")
}
