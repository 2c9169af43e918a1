//! Starting a repository.

use spindrift_core::{App, Id, UserName};
use spindrift_db::promotions;
use spindrift_db::repositories::RepositorySettings;
use spindrift_service::Ports;
use spindrift_trust::{
    KeepCount, NewFile, Proposal, RepositoryName, RoleName, RootRole, Signed, check_root_history,
};

use crate::accept::accept;
use crate::app_repository::AppRepository;
use crate::change::MetadataChange;
use crate::commit::reconcile;
use crate::error::RepositoryError;
use crate::events::{EventCause, Task};
use crate::lease::RepositoryLease;
use crate::repeated_call::is_current;
use crate::repository::Repository;
use crate::validate::validate;

/// The first metadata of a repository, and its settings.
#[derive(Debug)]
pub struct Start {
    pub owner: (Id, UserName),
    /// The root, and possibly targets.
    pub first: Proposal,
    /// The roots before it, if the repository moves here from another service.
    pub old_roots: Vec<Signed<RootRole>>,
    pub settings: RepositorySettings,
}

/// The settings of a repository for which the owner has chosen none.
pub const fn default_settings() -> RepositorySettings {
    RepositorySettings {
        keep: KeepCount::DEFAULT.number(),
        root_days: RoleName::Root.lifetimes().default.days(),
        targets_days: RoleName::Targets.lifetimes().default.days(),
        snapshot_days: RoleName::Snapshot.lifetimes().default.days(),
        timestamp_days: RoleName::Timestamp.lifetimes().default.days(),
    }
}

impl<P: Ports> AppRepository<'_, P> {
    /// Starts the repository of this application. Metadata below the thresholds is staged. Fails if TUF is
    /// off, or if there already is a repository; but a start that was killed is finished.
    pub async fn start(&self, app: &App, start: Start, cause: EventCause) -> Result<Task, RepositoryError> {
        check_root_history(None, &start.old_roots)?;
        self.with_lease(async |lease| {
            if let Some(existing) = Repository::load(self.conn, &app.id)? {
                return repeat(lease, &existing, &start.first).await;
            }
            let name = RepositoryName { owner: start.owner.1, app: app.name.clone() };
            let mut new = Repository::new(app, start.owner.0, name, start.settings, self.ports.now());
            new.old_root = start.old_roots.last().cloned();
            let lacking = validate(lease, &new, &start.first).await?;
            if !app.flags.tuf {
                return Err(RepositoryError::TufOff);
            }
            if let Some(version) = promotions::without_copies(self.conn, &app.id)? {
                return Err(RepositoryError::Promoted(version));
            }
            let old_roots = start.old_roots.iter().map(|root| NewFile::of(RoleName::Root, root));
            let old_roots = old_roots.collect::<Result<Vec<_>, _>>()?;
            let change = MetadataChange::of_proposal(start.first, cause, "Bootstrap accepted");
            accept(lease, &new, MetadataChange { old_roots, ..change }, &lacking).await
        })
        .await
    }
}

/// Finishes a start that failed after it was recorded. Fails if it was not recorded.
async fn repeat<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    existing: &Repository,
    first: &Proposal,
) -> Result<Task, RepositoryError> {
    if !existing.row.is_unfinished() || !is_current(lease, existing, first)? {
        return Err(RepositoryError::AlreadyExists);
    }
    reconcile(lease).await?;
    let task = Task::of_current(lease.conn, lease.app, &RoleName::Root)?;
    task.ok_or_else(|| RepositoryError::corrupt("event"))
}
