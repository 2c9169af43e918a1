//! Claims on objects, so that two uploads, or an upload and a deletion, never work on the same key at once.

use spindrift_core::{Id, StoredObject, Timestamp};

use crate::artifacts::object;
use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, params};

/// The holder of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder(String);

impl Holder {
    /// An upload. All calls for it are the same holder.
    pub fn upload(id: &Id) -> Self {
        Self(format!("upload:{id}"))
    }

    /// One deleting call. `call` differs between calls, so that a slow call cannot release a claim that
    /// maintenance has taken over from it.
    pub fn deletion(call: &Id) -> Self {
        Self(format!("delete:{call}"))
    }
}

/// Takes or renews the claim on the object `at` for `holder` until `until`. `Ok(false)`: another holder has
/// the claim at `now`.
pub fn take(
    conn: &impl SqlConn,
    at: &StoredObject,
    holder: &Holder,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    let rows = retry_while_locked(
        conn,
        "INSERT INTO object_claims (bucket, storage_key, holder, expires_at) VALUES (?1, ?2, ?3, ?5) \
         ON CONFLICT (bucket, storage_key) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at \
          WHERE object_claims.holder = excluded.holder OR object_claims.expires_at <= ?4 \
         RETURNING holder",
        &params![at.bucket, &at.key, &holder.0, now, until],
    )?;
    Ok(rows.exist())
}

/// Renews all claims of `holder` until `until`, including those that have expired and that no other holder
/// has taken over. Returns how many claims it has.
pub fn renew(conn: &impl SqlConn, holder: &Holder, until: Timestamp) -> Result<usize, SqlError> {
    let rows = retry_while_locked(
        conn,
        "UPDATE object_claims SET expires_at = ?2 WHERE holder = ?1 RETURNING 1",
        &params![&holder.0, until],
    )?;
    Ok(rows.values.len())
}

/// Whether any holder has a claim on the object at `now`.
pub fn is_taken(conn: &impl SqlConn, at: &StoredObject, now: Timestamp) -> Result<bool, SqlError> {
    let sql = "SELECT 1 FROM object_claims WHERE bucket = ?1 AND storage_key = ?2 AND expires_at > ?3";
    Ok(conn.run(sql, &params![at.bucket, &at.key, now])?.exist())
}

/// Whether `holder` has the claim.
pub fn is_held(conn: &impl SqlConn, at: &StoredObject, holder: &Holder) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT 1 FROM object_claims WHERE bucket = ?1 AND storage_key = ?2 AND holder = ?3",
        &params![at.bucket, &at.key, &holder.0],
    )?;
    Ok(rows.exist())
}

/// Releases the claim, unless another holder has taken it over.
pub fn release(conn: &impl SqlConn, at: &StoredObject, holder: &Holder) -> Result<(), SqlError> {
    retry_while_locked(
        conn,
        "DELETE FROM object_claims WHERE bucket = ?1 AND storage_key = ?2 AND holder = ?3",
        &params![at.bucket, &at.key, &holder.0],
    )
    .map(|_| ())
}

/// Claims that have expired at `now`, left behind by killed calls. At most `limit`.
pub fn expired(
    conn: &impl SqlConn,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(StoredObject, Holder)>, SqlError> {
    conn.run(
        "SELECT bucket, storage_key, holder FROM object_claims WHERE expires_at <= ?1 LIMIT ?2",
        &params![now, limit],
    )?
    .all(|row| Ok((object(row)?, Holder(row.get("holder")?))))
}
