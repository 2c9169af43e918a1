//! Who may touch an object: two uploads, or an upload and a deletion, never work on the same key at once.

use spindrift_core::{StoredObject, Timestamp};

use crate::row::Row;
use crate::transaction::run_in_turn;
use crate::{SqlConn, SqlError};

/// Takes (or renews) the claim on `object` for `holder` until `until`. `Ok(false)`: another holder has it at `now`.
pub fn take(
    conn: &impl SqlConn,
    object: &StoredObject,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    let rows = conn.run(
        "INSERT INTO object_claims (bucket, storage_key, holder, expires_at) VALUES (?1, ?2, ?3, ?5) \
         ON CONFLICT (bucket, storage_key) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at \
          WHERE object_claims.holder = excluded.holder OR object_claims.expires_at <= ?4 \
         RETURNING holder",
        &[
            object.bucket.as_str().into(),
            object.key.as_str().into(),
            holder.into(),
            now.as_millis().into(),
            until.as_millis().into(),
        ],
    )?;
    Ok(!rows.is_empty())
}

/// Whether `holder` has the claim.
pub fn is_held(conn: &impl SqlConn, object: &StoredObject, holder: &str) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT 1 FROM object_claims WHERE bucket = ?1 AND storage_key = ?2 AND holder = ?3",
        &[object.bucket.as_str().into(), object.key.as_str().into(), holder.into()],
    )?;
    Ok(!rows.is_empty())
}

/// Gives the claim back; one that another holder has taken over stays.
pub fn release(conn: &impl SqlConn, object: &StoredObject, holder: &str) -> Result<(), SqlError> {
    run_in_turn(
        conn,
        "DELETE FROM object_claims WHERE bucket = ?1 AND storage_key = ?2 AND holder = ?3",
        &[object.bucket.as_str().into(), object.key.as_str().into(), holder.into()],
    )
    .map(|_| ())
}

/// Claims whose time is over at `now`: what killed calls left. At most `limit`.
pub fn expired(
    conn: &impl SqlConn,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<(StoredObject, String)>, SqlError> {
    conn.run(
        "SELECT bucket, storage_key, holder FROM object_claims WHERE expires_at <= ?1 LIMIT ?2",
        &[now.as_millis().into(), i64::from(limit).into()],
    )?
    .into_iter()
    .map(|row| {
        let row = Row(row);
        Ok((crate::artifacts::object(&row, 0)?, row.text(2)?.to_owned()))
    })
    .collect()
}
