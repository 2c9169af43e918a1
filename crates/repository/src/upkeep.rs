//! Maintenance of repositories. Each part is bounded, and the next run continues.

mod batch;
mod compare;
mod replaced_files;
mod unfinished_removals;

use spindrift_core::Id;
use spindrift_db::repository_upkeep;
use spindrift_service::{Ports, log};
use spindrift_storage::Storage;
use spindrift_trust::{RoleName, waits_for_failures_since};

use crate::app_repository::AppRepository;
use crate::error::RepositoryError;
use crate::events::{EventCause, EventKind};
use crate::service_targets::LISTED_AHEAD_SECONDS;
pub use batch::Upkeep;
use batch::{BATCH, DAY_SECONDS, UpkeepRun};

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
    let run = UpkeepRun { ports, conn, until: ports.now().plus_seconds(RUN_SECONDS) };
    let signed = run.sign(done).await;
    let relisted = unfinished_removals::relist(ports, conn);
    let ahead = run.list_ahead().await;
    let synced = run.sync_behind().await;
    let compared = run.compare(done).await;
    let removed = run.remove_replaced_files(storage, done).await;
    let dropped = run.drop_old().await;
    let warned = run.warn(done);
    signed.and(relisted).and(ahead).and(synced).and(compared).and(removed).and(dropped).and(warned)
}

impl<P: Ports> UpkeepRun<'_, P> {
    /// Signs metadata that is due, and finishes the work of killed calls.
    async fn sign(&self, done: &mut Upkeep) -> Result<(), RepositoryError> {
        let now = self.ports.now();
        let apps = repository_upkeep::due(self.conn, now, waits_for_failures_since(now), BATCH)?;
        let (were_signed, result) =
            self.each(&apps, async |repository| repository.refresh_if_due().await).await;
        done.signed += were_signed.into_iter().map(u64::from).sum::<u64>();
        result
    }

    /// Lists releases that are about to be published, so that they are listed when their time comes.
    async fn list_ahead(&self) -> Result<(), RepositoryError> {
        let now = self.ports.now();
        let soon = now.plus_seconds(LISTED_AHEAD_SECONDS);
        let apps = repository_upkeep::due_to_list_ahead(self.conn, now, soon, BATCH)?;
        for app in &apps {
            repository_upkeep::mark_behind(self.conn, app)?;
        }
        self.sync(&apps).await
    }

    /// Brings lists up to date that are behind because a call was killed, or failed after its change.
    async fn sync_behind(&self) -> Result<(), RepositoryError> {
        self.sync(&repository_upkeep::behind(self.conn, BATCH)?).await
    }

    async fn sync(&self, apps: &[Id]) -> Result<(), RepositoryError> {
        self.each(apps, async |repository| repository.sync_targets_after_change().await).await.1
    }

    /// Drops staged metadata that has waited for signatures for a month.
    async fn drop_old(&self) -> Result<(), RepositoryError> {
        let before = self.ports.now().plus_seconds(-STAGED_SECONDS);
        let mut first = Ok(());
        for (app, role) in repository_upkeep::roles_awaiting_signatures(self.conn, before, BATCH)? {
            let role: RoleName = role.parse().map_err(|_| RepositoryError::corrupt("role"))?;
            let repository = AppRepository::new(self.ports, self.conn, &app);
            match repository.drop_staged(&role, EventCause::service(EventKind::StagedExpired)).await {
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
    fn warn(&self, done: &mut Upkeep) -> Result<(), RepositoryError> {
        let soon = self.ports.now().plus_seconds(WARNING_SECONDS);
        for expiring in repository_upkeep::expiring(self.conn, soon)? {
            done.expiring += 1;
            let end = format!("{} on {}", expiring.name, expiring.expires_at.to_rfc3339());
            log::warn("root or targets of signed metadata end soon", &end);
        }
        Ok(())
    }
}
