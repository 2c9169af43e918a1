//! When things last happened in the whole service.

use spindrift_core::Timestamp;

use crate::transaction::run_in_turn;
use crate::{SqlConn, SqlError};

/// The name of the moment at which maintenance last ended without a failure.
const MAINTENANCE: &str = "maintenance";

/// Notes that maintenance ended without a failure.
pub fn set_maintained(conn: &impl SqlConn, now: Timestamp) -> Result<(), SqlError> {
    run_in_turn(
        conn,
        "INSERT INTO moments (name, happened_at) VALUES (?1, ?2) \
         ON CONFLICT (name) DO UPDATE SET happened_at = excluded.happened_at",
        &[MAINTENANCE.into(), now.as_millis().into()],
    )
    .map(|_| ())
}

/// What is known of maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Maintained {
    /// When it last ended without a failure. `None`: it has not since this is noted.
    pub at: Option<Timestamp>,
    /// That moment, or else when the schema last changed: this is not noted for longer.
    pub due_since: Timestamp,
}

/// When maintenance last ended without a failure.
pub fn maintained(conn: &impl SqlConn) -> Result<Maintained, SqlError> {
    let rows = conn.run(
        "SELECT m.happened_at, coalesce(m.happened_at, max(s.applied_at), 0) AS due_since \
         FROM schema_migrations s LEFT JOIN moments m ON m.name = ?1",
        &[MAINTENANCE.into()],
    )?;
    let found =
        rows.one(|row| Ok(Maintained { at: row.get("happened_at")?, due_since: row.get("due_since")? }))?;
    Ok(found.unwrap_or(Maintained { at: None, due_since: Timestamp::from_millis(0) }))
}
