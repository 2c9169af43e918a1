//! CI tokens.

use spindrift_core::{Id, Timestamp, Token};

use crate::row::{Row, to_json};
use crate::transaction::run_awaiting_lock;
use crate::{Audited, SqlConn, SqlError, params};

/// All columns of a [`Token`].
const TOKEN: &str = "SELECT t.id, t.owner_id, u.username AS owner, t.name, t.token_prefix, t.allowed_apps, t.may, t.job, t.expires_at, \
 t.created_at, t.last_used_at FROM tokens t JOIN users u ON u.id = t.owner_id";

fn token(row: &Row<'_>) -> Result<Token, SqlError> {
    Ok(Token {
        id: row.get("id")?,
        owner_id: row.get("owner_id")?,
        owner: row.get("owner")?,
        name: row.get("name")?,
        prefix: row.get("token_prefix")?,
        allowed_apps: row.json("allowed_apps")?,
        may: row.json("may")?,
        job: row.optional_json("job")?,
        expires_at: row.get("expires_at")?,
        created_at: row.get("created_at")?,
        last_used_at: row.get("last_used_at")?,
    })
}

pub fn by_digest(conn: &impl SqlConn, digest: &str) -> Result<Option<Token>, SqlError> {
    conn.run(&format!("{TOKEN} WHERE t.token_hash = ?1"), &params![digest])?.one(token)
}

pub fn by_id(conn: &impl SqlConn, id: &Id) -> Result<Option<Token>, SqlError> {
    conn.run(&format!("{TOKEN} WHERE t.id = ?1"), &params![id])?.one(token)
}

/// Inserts a token. `digest` is the key under which it is found.
pub fn insert(conn: &impl Audited, token: &Token, digest: &str) -> Result<(), SqlError> {
    conn.run(
        "INSERT INTO tokens (id, owner_id, name, token_hash, token_prefix, allowed_apps, expires_at, created_at, may, job) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        &params![
            &token.id,
            &token.owner_id,
            &token.name,
            digest,
            &token.prefix,
            to_json(&token.allowed_apps)?,
            token.expires_at,
            token.created_at,
            to_json(&token.may)?,
            token.job.as_ref().map(to_json).transpose()?,
        ],
    )
    .map(|_| ())
}

/// An admin's tokens, oldest first, including expired ones, but not those of jobs.
pub fn of_owner(conn: &impl SqlConn, owner: &Id) -> Result<Vec<Token>, SqlError> {
    conn.run(&format!("{TOKEN} WHERE t.owner_id = ?1 AND t.job IS NULL ORDER BY t.id"), &params![owner])?
        .all(token)
}

/// Whether the admin has a token of this name, even an expired one.
pub fn has_name(conn: &impl SqlConn, owner: &Id, name: &str) -> Result<bool, SqlError> {
    let rows = conn.run("SELECT 1 FROM tokens WHERE owner_id = ?1 AND name = ?2", &params![owner, name])?;
    Ok(rows.exist())
}

/// Deletes a token. `Ok(false)`: the admin has no token with this id.
pub fn delete(conn: &impl Audited, owner: &Id, id: &Id) -> Result<bool, SqlError> {
    let rows = run_awaiting_lock(
        conn,
        "DELETE FROM tokens WHERE owner_id = ?1 AND id = ?2 RETURNING id",
        &params![owner, id],
    )?;
    Ok(rows.exist())
}

/// Records that a token was used in the hour that begins at `hour`, unless that hour or a later one is
/// already recorded.
pub fn record_use(conn: &impl SqlConn, id: &Id, hour: Timestamp) -> Result<(), SqlError> {
    conn.run(
        "UPDATE tokens SET last_used_at = ?2 WHERE id = ?1 AND coalesce(last_used_at, 0) < ?2",
        &params![id, hour],
    )
    .map(|_| ())
}

/// Removes an application that is being deleted from the lists of all tokens.
pub fn disallow(conn: &impl Audited, owner: &Id, app: &Id) -> Result<(), SqlError> {
    conn.run(
        "UPDATE tokens SET allowed_apps = (SELECT json_group_array(value) FROM json_each(tokens.allowed_apps) \
          WHERE value <> ?2) \
         WHERE owner_id = ?1 AND EXISTS (SELECT 1 FROM json_each(tokens.allowed_apps) WHERE value = ?2)",
        &params![owner, app],
    )
    .map(|_| ())
}
