//! Maintenance runs: a lease for one at a time, and a record of how the last one ended.

pub mod leases;
pub mod metrics;

use spindrift_core::Timestamp;

use crate::transaction::retry_while_locked;
use crate::{SqlConn, SqlError, params};

/// Name of the lease.
const LEASE: &str = "maintenance";
/// Name of the lease of an operator who is waiting for the next run.
const WAITING: &str = "maintenance.waiting";
/// The holder of that lease. There is only one operator.
const OPERATOR: &str = "operator";
/// Seconds for which admins leave the next run to a waiting operator: longer than the pause between two runs
/// of a timer.
const WAITING_SECONDS: i64 = 10 * 60;

/// The caller of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runner {
    /// The holder of the maintenance token. If another run is under way, the operator gets the next one.
    Operator,
    Admin,
}

/// Takes the lease until `until`. `Ok(false)`: another run is under way, or the operator is waiting to begin
/// one.
pub fn begin(
    conn: &impl SqlConn,
    runner: Runner,
    holder: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<bool, SqlError> {
    if runner == Runner::Admin {
        return Ok(!leases::is_held(conn, WAITING, now)? && leases::take(conn, LEASE, holder, now, until)?);
    }
    let is_taken = leases::take(conn, LEASE, holder, now, until)?;
    if is_taken {
        leases::release(conn, WAITING, OPERATOR)?;
    } else {
        leases::take_over(conn, WAITING, OPERATOR, now.plus_seconds(WAITING_SECONDS))?;
    }
    Ok(is_taken)
}

/// How a run ended, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunOutcome {
    /// Without a failure.
    Well(Timestamp),
    /// Without a failure, but the private bucket belongs to another database and was not swept.
    WithoutBucket(Timestamp),
    /// The object storage did not answer properly.
    WithoutStorage(Timestamp),
    /// With some other failure.
    Otherwise,
}

/// Releases the lease, unless another holder has taken it over, and records how the run ended.
pub fn end(conn: &impl SqlConn, holder: &str, ended: RunOutcome) -> Result<(), SqlError> {
    let (well, without_storage, without_bucket) = match ended {
        RunOutcome::Well(at) => (Some(at), None, None),
        RunOutcome::WithoutBucket(at) => (Some(at), None, Some(at)),
        RunOutcome::WithoutStorage(at) => (None, Some(at), None),
        RunOutcome::Otherwise => (None, None, None),
    };
    retry_while_locked(
        conn,
        "UPDATE leases SET holder = '', expires_at = 0, ended_at = coalesce(?3, ended_at), \
         storage_failed_since = CASE WHEN ?3 IS NULL THEN coalesce(storage_failed_since, ?4) END, \
         foreign_bucket_since = CASE WHEN ?3 IS NULL OR ?5 IS NOT NULL THEN coalesce(foreign_bucket_since, ?5) END \
         WHERE name = ?1 AND holder = ?2",
        &params![LEASE, holder, well, without_storage, without_bucket],
    )
    .map(|_| ())
}

/// How the last runs ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastRun {
    /// When maintenance last ended without a failure. `None` if it has not since this is recorded.
    pub ended_at: Option<Timestamp>,
    /// That time, or else the time at which the schema last changed, since this is not recorded for longer.
    pub due_since: Timestamp,
    /// Since when the object storage has failed to answer. `None` if it answered in the last run.
    pub storage_failed_since: Option<Timestamp>,
    /// Since when the private bucket has belonged to another database. `None` if it did not at the last run.
    pub foreign_bucket_since: Option<Timestamp>,
}

/// When maintenance last ended.
pub fn last_run(conn: &impl SqlConn) -> Result<LastRun, SqlError> {
    let rows = conn.run(
        "SELECT l.ended_at, coalesce(l.ended_at, max(s.applied_at), 0) AS due_since, l.storage_failed_since, \
         l.foreign_bucket_since \
         FROM schema_migrations s LEFT JOIN leases l ON l.name = ?1",
        &params![LEASE],
    )?;
    let found = rows.one(|row| {
        Ok(LastRun {
            ended_at: row.get("ended_at")?,
            due_since: row.get("due_since")?,
            storage_failed_since: row.get("storage_failed_since")?,
            foreign_bucket_since: row.get("foreign_bucket_since")?,
        })
    })?;
    let never = LastRun {
        ended_at: None,
        due_since: Timestamp::from_millis(0),
        storage_failed_since: None,
        foreign_bucket_since: None,
    };
    Ok(found.unwrap_or(never))
}

/// The name of this database, which the marker in its private bucket contains.
pub fn database_id(conn: &impl SqlConn) -> Result<String, SqlError> {
    let found = conn.run("SELECT id FROM database_identity", &[])?.one(|row| row.get("id"))?;
    found.ok_or_else(|| SqlError::Unavailable("the database has no name".to_owned()))
}
