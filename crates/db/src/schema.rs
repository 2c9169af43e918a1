//! Opening the database and applying the migrations from `sql/`.

use spindrift_core::Timestamp;

use crate::transaction::in_transaction;
use crate::{Database, SqlConn, SqlError, params};

/// The version and the text of a migration.
type Migration = (i64, &'static str);

/// The migrations, oldest first.
const MIGRATIONS: &[Migration] = &[(1, include_str!("../../../sql/0001_init.sql"))];

/// The schema version that this code needs.
const CURRENT: i64 = MIGRATIONS[MIGRATIONS.len() - 1].0;

/// Opens a connection to a database with the schema that this code needs. Migrates an older schema.
pub fn open<D: Database>(database: &D, now: Timestamp) -> Result<D::Conn, SqlError> {
    let conn = database.connect()?;
    if !is_current(&conn)? {
        migrate(&conn, MIGRATIONS, now)?;
    }
    Ok(conn)
}

/// The statements of a migration file: each ends with a semicolon at the end of a line.
fn statements(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(";\n").map(str::trim).filter(|statement| {
        statement.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with("--"))
    })
}

/// The schema version of the database; 0 if it is empty.
fn applied_version(conn: &impl SqlConn) -> Result<i64, SqlError> {
    match conn.run("SELECT max(version) AS version FROM schema_migrations", &[]) {
        Ok(rows) => Ok(rows.one(|row| row.get("version"))?.flatten().unwrap_or(0)),
        Err(SqlError::Schema(_)) => Ok(0),
        Err(error) => Err(error),
    }
}

/// Whether the database has the schema that this code needs, or a newer one during a rolling update.
fn is_current(conn: &impl SqlConn) -> Result<bool, SqlError> {
    Ok(applied_version(conn)? >= CURRENT)
}

/// Sets the journal mode in which readers do not wait for writers (WAL). It is stored in the database file,
/// and a copy made with `VACUUM INTO` or from a dump has lost it. It cannot be set while other connections
/// use the file in another mode; the next call may then succeed. libSQL manages its log itself and may
/// refuse.
pub fn enable_wal(conn: &impl SqlConn) {
    let _ = conn.run("PRAGMA journal_mode = WAL", &[]);
}

/// Applies the missing migrations. Safe to run in several instances at once: it takes the write lock before
/// it reads the version for the final decision.
fn migrate(conn: &impl SqlConn, migrations: &[Migration], now: Timestamp) -> Result<(), SqlError> {
    // The journal mode cannot be set inside a transaction.
    enable_wal(conn);
    in_transaction(conn, |conn| {
        let applied = applied_version(conn)?;
        conn.run("CREATE TABLE IF NOT EXISTS schema_migrations (version INTEGER PRIMARY KEY, applied_at INTEGER NOT NULL)", &[])?;
        for (version, text) in migrations.iter().filter(|(version, _)| *version > applied) {
            for statement in statements(text) {
                conn.run(statement, &[])?;
            }
            conn.run(
                "INSERT INTO schema_migrations (version, applied_at) VALUES (?1, ?2)",
                &params![*version, now],
            )?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests;
