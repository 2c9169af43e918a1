//! Which applications have, or had, static answers in the CDN bucket: others need no look into the storage.

use spindrift_core::{AppName, UserName};

use crate::row::Row;
use crate::{SqlConn, SqlError};

/// Remembers that an application has static answers. Before the first one is written.
pub fn remember(conn: &impl SqlConn, owner: &UserName, app: &AppName) -> Result<(), SqlError> {
    conn.run(
        "INSERT INTO static_answers (owner, app) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        &[owner.as_str().into(), app.as_str().into()],
    )
    .map(|_| ())
}

/// Whether the application ever had some.
pub fn had_some(conn: &impl SqlConn, owner: &UserName, app: &AppName) -> Result<bool, SqlError> {
    let rows = conn.run(
        "SELECT 1 FROM static_answers WHERE owner = ?1 AND app = ?2",
        &[owner.as_str().into(), app.as_str().into()],
    )?;
    Ok(!rows.is_empty())
}

/// Applications that had static answers and are gone, by owner and name.
pub fn orphaned(conn: &impl SqlConn) -> Result<Vec<(UserName, AppName)>, SqlError> {
    conn.run(
        "SELECT s.owner, s.app FROM static_answers s WHERE NOT EXISTS ( \
         SELECT 1 FROM apps a JOIN users u ON u.id = a.owner_id WHERE u.username = s.owner AND a.name = s.app)",
        &[],
    )?
    .into_iter()
    .map(|row| {
        let row = Row(row);
        Ok((row.parsed(0)?, row.parsed(1)?))
    })
    .collect()
}

/// Forgets an application whose static answers are gone.
pub fn forget(conn: &impl SqlConn, owner: &UserName, app: &AppName) -> Result<(), SqlError> {
    conn.run(
        "DELETE FROM static_answers WHERE owner = ?1 AND app = ?2",
        &[owner.as_str().into(), app.as_str().into()],
    )
    .map(|_| ())
}
