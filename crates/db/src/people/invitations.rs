//! Invitations to the teams of admins.

use spindrift_core::{Id, Invitation, Timestamp};

use crate::row::{Row, to_json};
use crate::transaction::retry_while_locked;
use crate::{Audited, SqlConn, SqlError, params};

/// All columns of an [`Invitation`].
const INVITATION: &str = "SELECT i.id, i.owner_id, u.username AS owner, i.username, i.permissions, i.created_at, i.expires_at, \
 i.accepted_at, i.revoked_at FROM invitations i JOIN users u ON u.id = i.owner_id";

fn invitation(row: &Row<'_>) -> Result<Invitation, SqlError> {
    Ok(Invitation {
        id: row.get("id")?,
        owner_id: row.get("owner_id")?,
        owner: row.get("owner")?,
        name: row.get("username")?,
        permissions: row.json("permissions")?,
        created_at: row.get("created_at")?,
        expires_at: row.get("expires_at")?,
        accepted_at: row.get("accepted_at")?,
        revoked_at: row.get("revoked_at")?,
    })
}

/// Inserts an invitation. `digest` is that of the secret in its link.
pub fn insert(conn: &impl Audited, invitation: &Invitation, digest: &str) -> Result<(), SqlError> {
    conn.execute(
        "INSERT INTO invitations (id, owner_id, username, permissions, secret_hash, created_at, expires_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        &params![
            &invitation.id,
            &invitation.owner_id,
            invitation.name.as_ref(),
            to_json(&invitation.permissions)?,
            digest,
            invitation.created_at,
            invitation.expires_at,
        ],
    )
}

/// The invitation whose link has this secret, also if it is over.
pub fn by_digest(conn: &impl SqlConn, digest: &str) -> Result<Option<Invitation>, SqlError> {
    conn.run(&format!("{INVITATION} WHERE i.secret_hash = ?1"), &params![digest])?.one(invitation)
}

/// An admin's invitation, also if it is over.
pub fn by_id(conn: &impl SqlConn, owner: &Id, id: &Id) -> Result<Option<Invitation>, SqlError> {
    let sql = format!("{INVITATION} WHERE i.owner_id = ?1 AND i.id = ?2");
    conn.run(&sql, &params![owner, id])?.one(invitation)
}

/// An admin's invitations that can still be accepted, oldest first.
pub fn open(conn: &impl SqlConn, owner: &Id, now: Timestamp) -> Result<Vec<Invitation>, SqlError> {
    let sql = format!(
        "{INVITATION} WHERE i.owner_id = ?1 AND i.expires_at > ?2 AND i.accepted_at IS NULL \
          AND i.revoked_at IS NULL ORDER BY i.id"
    );
    conn.run(&sql, &params![owner, now])?.all(invitation)
}

/// Marks an invitation as accepted.
pub fn accept(conn: &impl Audited, id: &Id, now: Timestamp) -> Result<(), SqlError> {
    conn.execute("UPDATE invitations SET accepted_at = ?2 WHERE id = ?1", &params![id, now])
}

/// Marks an invitation as revoked.
pub fn revoke(conn: &impl Audited, id: &Id, now: Timestamp) -> Result<(), SqlError> {
    conn.execute("UPDATE invitations SET revoked_at = ?2 WHERE id = ?1", &params![id, now])
}

/// Deletes invitations that expired before `end`, at most `max`, and returns their number.
pub fn delete_before(conn: &impl SqlConn, end: Timestamp, max: u32) -> Result<u64, SqlError> {
    let sql = "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < ?1 LIMIT ?2) \
               RETURNING id";
    let rows = retry_while_locked(conn, sql, &params![end, max])?;
    Ok(rows.values.len() as u64)
}
