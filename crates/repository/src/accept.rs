//! The end of every call that brings a proposal: it becomes current, or waits for signatures.

use spindrift_service::Ports;
use spindrift_trust::RoleName;

use crate::change::MetadataChange;
use crate::commit::commit;
use crate::error::RepositoryError;
use crate::events::Task;
use crate::lease::RepositoryLease;
use crate::repository::Repository;
use crate::staged::stage;

/// Commits a validated proposal, or stages it if roles are `lacking` signatures.
pub(crate) async fn accept<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    change: MetadataChange,
    lacking: &[RoleName],
) -> Result<Task, RepositoryError> {
    match lacking.first() {
        None => commit(lease, repository, change).await,
        Some(role) => stage(lease, repository, &change, role),
    }
}
