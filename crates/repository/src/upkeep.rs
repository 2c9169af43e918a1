//! Maintenance of repositories. Each part is bounded, and the next run continues.

mod batch;
mod compare;
mod replaced_files;
mod unfinished_removals;

use spindrift_core::Timestamp;
use spindrift_db::repository_upkeep;
use spindrift_service::{Ports, log};
use spindrift_storage::Storage;
use spindrift_trust::{RoleName, waits_for_failures_since};

use crate::drop_staged::drop_staged;
use crate::error::RepositoryError;
use crate::events::{EventCause, EventKind};
use crate::refresh::refresh_if_due;
use crate::service_targets::LISTED_AHEAD_SECONDS;
use crate::sync_targets::sync_targets_after_change;
pub use batch::Upkeep;
use batch::{BATCH, DAY_SECONDS, each};

/// Seconds after which a run starts no more work on repositories.
const RUN_SECONDS: i64 = 2 * 60;
/// How long metadata waits for signatures, in seconds.
const STAGED_SECONDS: i64 = 30 * DAY_SECONDS;
/// How long before root or the publisher's targets expire a warning is logged, in seconds.
const WARNING_SECONDS: i64 = 30 * DAY_SECONDS;

/// Runs all parts, even if some fail. Adds to `done`, and returns the first failure.
pub async fn keep_up<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    done: &mut Upkeep,
) -> Result<(), RepositoryError> {
    let until = ports.now().plus_seconds(RUN_SECONDS);
    let signed = sign(ports, conn, until, done).await;
    let relisted = unfinished_removals::relist(ports, conn);
    let ahead = list_ahead(ports, conn, until).await;
    let synced = sync_behind(ports, conn, until).await;
    let compared = compare::run(ports, conn, until, done).await;
    let removed = replaced_files::remove(ports, conn, storage, done).await;
    let dropped = drop_old(ports, conn).await;
    let warned = warn(ports, conn, done);
    signed.and(relisted).and(ahead).and(synced).and(compared).and(removed).and(dropped).and(warned)
}

/// Signs metadata that is due, and finishes the work of killed calls.
async fn sign<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    until: Timestamp,
    done: &mut Upkeep,
) -> Result<(), RepositoryError> {
    let now = ports.now();
    let apps = repository_upkeep::due(conn, now, waits_for_failures_since(now), BATCH)?;
    let (were_signed, result) =
        each(ports, &apps, until, async |app| refresh_if_due(ports, conn, app).await).await;
    done.signed += were_signed.into_iter().map(u64::from).sum::<u64>();
    result
}

/// Lists releases that are about to be published, so that they are listed when their time comes.
async fn list_ahead<P: Ports>(ports: &P, conn: &P::Conn, until: Timestamp) -> Result<(), RepositoryError> {
    let (now, soon) = (ports.now(), ports.now().plus_seconds(LISTED_AHEAD_SECONDS));
    let apps = repository_upkeep::due_to_list_ahead(conn, now, soon, BATCH)?;
    for app in &apps {
        repository_upkeep::mark_behind(conn, app)?;
    }
    each(ports, &apps, until, async |app| sync_targets_after_change(ports, conn, app).await).await.1
}

/// Brings lists up to date that are behind because a call was killed, or failed after its change.
async fn sync_behind<P: Ports>(ports: &P, conn: &P::Conn, until: Timestamp) -> Result<(), RepositoryError> {
    let apps = repository_upkeep::behind(conn, BATCH)?;
    each(ports, &apps, until, async |app| sync_targets_after_change(ports, conn, app).await).await.1
}

/// Drops staged metadata that has waited for signatures for a month.
async fn drop_old<P: Ports>(ports: &P, conn: &P::Conn) -> Result<(), RepositoryError> {
    let mut first = Ok(());
    for (app, role) in
        repository_upkeep::roles_awaiting_signatures(conn, ports.now().plus_seconds(-STAGED_SECONDS), BATCH)?
    {
        let role: RoleName = role.parse().map_err(|_| RepositoryError::corrupt("role"))?;
        match drop_staged(ports, conn, &app, &role, EventCause::service(EventKind::StagedExpired)).await {
            // Another call is working on the repository; the next run handles what it leaves.
            Err(error) if error.is_left_to_another_call() => {}
            // The other call has dropped it, or ended the repository.
            Err(RepositoryError::NoRepository | RepositoryError::NothingStaged) => {}
            result => first = first.and(result.map(drop)),
        }
    }
    first
}

/// Counts and logs the repositories that need an offline signature soon.
fn warn<P: Ports>(ports: &P, conn: &P::Conn, done: &mut Upkeep) -> Result<(), RepositoryError> {
    for expiring in repository_upkeep::expiring(conn, ports.now().plus_seconds(WARNING_SECONDS))? {
        done.expiring += 1;
        let end = format!("{} on {}", expiring.name, expiring.expires_at.to_rfc3339());
        log::warn("root or targets of signed metadata end soon", &end);
    }
    Ok(())
}
