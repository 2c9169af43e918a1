//! Passkeys of users, and the recovery codes for those who lose them.

use spindrift_core::{Id, Passkey, PasskeyKey, Timestamp};

use crate::row::Row;
use crate::transaction::run_awaiting_lock;
use crate::{Audited, SqlConn, SqlError, params};

const PASSKEY: &str =
    "SELECT id, user_id, name, credential_id, public_key, state, created_at, last_used_at FROM passkeys";

fn passkey(row: &Row<'_>) -> Result<Passkey, SqlError> {
    Ok(Passkey {
        id: row.get("id")?,
        user_id: row.get("user_id")?,
        name: row.get("name")?,
        key: PasskeyKey {
            credential_id: row.get("credential_id")?,
            public_key: row.get("public_key")?,
            state: row.get("state")?,
        },
        created_at: row.get("created_at")?,
        last_used_at: row.get("last_used_at")?,
    })
}

/// The passkeys of a user, oldest first.
pub fn of_user(conn: &impl SqlConn, user: &Id) -> Result<Vec<Passkey>, SqlError> {
    conn.run(&format!("{PASSKEY} WHERE user_id = ?1 ORDER BY id"), &params![user])?.all(passkey)
}

/// The passkey that authenticators know by this id.
pub fn by_credential(conn: &impl SqlConn, credential_id: &str) -> Result<Option<Passkey>, SqlError> {
    conn.run(&format!("{PASSKEY} WHERE credential_id = ?1"), &params![credential_id])?.one(passkey)
}

/// Inserts a passkey. A credential that is already in use is an [`SqlError::Constraint`].
pub fn insert(conn: &impl Audited, passkey: &Passkey) -> Result<(), SqlError> {
    let key = &passkey.key;
    conn.execute(
        "INSERT INTO passkeys (id, user_id, name, credential_id, public_key, state, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &params![
            &passkey.id,
            &passkey.user_id,
            &passkey.name,
            &key.credential_id,
            &key.public_key,
            &key.state,
            passkey.created_at,
        ],
    )
}

/// Records a use, after which the passkey has another state. `Ok(false)`: it was removed, or used at the same time,
/// so its state is not `before`.
pub fn record_use(
    conn: &impl SqlConn,
    passkey: &Id,
    (before, after): (&str, &str),
    now: Timestamp,
) -> Result<bool, SqlError> {
    let sql = "UPDATE passkeys SET state = ?3, last_used_at = ?4 WHERE id = ?1 AND state = ?2 RETURNING id";
    Ok(run_awaiting_lock(conn, sql, &params![passkey, before, after, now])?.exist())
}

/// Removes a passkey of the user. With the last one, the recovery codes go too.
pub fn delete(conn: &impl Audited, user: &Id, id: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM passkeys WHERE id = ?1 AND user_id = ?2", &params![id, user])?;
    conn.execute(
        "DELETE FROM recovery_codes WHERE user_id = ?1 AND NOT EXISTS (SELECT 1 FROM passkeys WHERE user_id = ?1)",
        &params![user],
    )
}

/// Removes all passkeys and recovery codes of the user.
pub fn delete_all(conn: &impl Audited, user: &Id) -> Result<(), SqlError> {
    conn.execute("DELETE FROM passkeys WHERE user_id = ?1", &params![user])?;
    conn.execute("DELETE FROM recovery_codes WHERE user_id = ?1", &params![user])
}

/// The number of recovery codes that the user has left.
pub fn count_codes(conn: &impl SqlConn, user: &Id) -> Result<u64, SqlError> {
    let rows = conn.run("SELECT count(*) AS n FROM recovery_codes WHERE user_id = ?1", &params![user])?;
    Ok(rows.one(|row| row.get("n"))?.unwrap_or(0))
}

/// Replaces the recovery codes of the user by codes with these digests.
pub fn replace_codes(conn: &impl Audited, user: &Id, digests: &[String]) -> Result<(), SqlError> {
    conn.execute("DELETE FROM recovery_codes WHERE user_id = ?1", &params![user])?;
    for digest in digests {
        conn.execute("INSERT INTO recovery_codes (digest, user_id) VALUES (?1, ?2)", &params![digest, user])?;
    }
    Ok(())
}

/// Uses a recovery code of the user. `Ok(false)`: the user does not have it, or not any more.
pub fn use_code(conn: &impl Audited, user: &Id, digest: &str) -> Result<bool, SqlError> {
    let sql = "DELETE FROM recovery_codes WHERE digest = ?1 AND user_id = ?2 RETURNING digest";
    Ok(conn.run(sql, &params![digest, user])?.exist())
}
