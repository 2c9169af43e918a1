//! Publishers of applications, and the tokens of their jobs.

use spindrift_core::{Id, PinnedIds, Publisher, Timestamp};

use crate::row::{Row, to_json};
use crate::transaction::retry_while_locked;
use crate::{Audited, SqlConn, SqlError, params};

/// All columns of a [`Publisher`].
const PUBLISHER: &str = "SELECT p.id, p.app_id, p.conditions, p.granted, p.pinned, p.created_at, p.last_used_at \
 FROM publishers p";

fn publisher(row: &Row<'_>) -> Result<Publisher, SqlError> {
    Ok(Publisher {
        id: row.get("id")?,
        app_id: row.get("app_id")?,
        conditions: row.json("conditions")?,
        grant: row.json("granted")?,
        pinned: row.optional_json("pinned")?,
        created_at: row.get("created_at")?,
        last_used_at: row.get("last_used_at")?,
    })
}

/// The publishers of an application, oldest first.
pub fn of_app(conn: &impl SqlConn, app: &Id) -> Result<Vec<Publisher>, SqlError> {
    conn.run(&format!("{PUBLISHER} WHERE p.app_id = ?1 ORDER BY p.id"), &params![app])?.all(publisher)
}

/// The publishers of all applications of an owner, oldest first.
pub fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<Vec<Publisher>, SqlError> {
    let sql = format!("{PUBLISHER} JOIN apps a ON a.id = p.app_id WHERE a.owner_id = ?1 ORDER BY p.id");
    conn.run(&sql, &params![owner])?.all(publisher)
}

/// A publisher of the owner.
pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<Publisher>, SqlError> {
    let sql = format!("{PUBLISHER} JOIN apps a ON a.id = p.app_id WHERE p.id = ?1 AND a.owner_id = ?2");
    conn.run(&sql, &params![id, owner])?.one(publisher)
}

/// Inserts a publisher that no job has used.
pub fn insert(conn: &impl Audited, publisher: &Publisher) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO publishers (id, app_id, conditions, granted, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
        &params![
            &publisher.id,
            &publisher.app_id,
            to_json(&publisher.conditions)?,
            to_json(&publisher.grant)?,
            publisher.created_at,
        ],
    )
}

/// Deletes a publisher, and ends the tokens of its jobs.
pub fn delete(conn: &impl Audited, id: &Id) -> Result<(), SqlError> {
    conn.execute(
        "DELETE FROM tokens WHERE job IS NOT NULL AND EXISTS \
          (SELECT 1 FROM json_each(tokens.job, '$.publishers') WHERE value = ?1)",
        &params![id],
    )?;
    conn.execute("DELETE FROM publishers WHERE id = ?1", &params![id])
}

/// Deletes the publishers of an application that is being deleted.
pub fn delete_of_app(conn: &impl SqlConn, app: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM publishers WHERE app_id = ?1", &params![app])
}

/// Records that a job got a token. The first one pins the ids behind the names.
pub fn record_exchange(
    conn: &impl Audited,
    id: &Id,
    ids: &PinnedIds,
    now: Timestamp,
) -> Result<(), SqlError> {
    conn.execute(
        "UPDATE publishers SET last_used_at = ?3, pinned = coalesce(pinned, ?2) WHERE id = ?1",
        &params![id, to_json(ids)?, now],
    )
}

/// Whether only publishers may upload to the application.
pub fn are_required(conn: &impl SqlConn, app: &Id) -> Result<bool, SqlError> {
    let rows = conn.run("SELECT 1 FROM apps WHERE id = ?1 AND require_publisher = 1", &params![app])?;
    Ok(rows.exist())
}

/// Deletes the tokens of jobs that ended before `before`, at most `max`, and returns their number. A call that
/// began with such a token may still need it for a moment.
pub fn delete_ended(conn: &impl SqlConn, before: Timestamp, max: u32) -> Result<u64, SqlError> {
    let rows = retry_while_locked(
        conn,
        "DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE job IS NOT NULL AND expires_at < ?1 LIMIT ?2) \
         RETURNING id",
        &params![before, max],
    )?;
    Ok(rows.values.len() as u64)
}
