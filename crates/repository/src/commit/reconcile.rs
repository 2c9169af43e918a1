//! Step 1: brings the bucket and the database into agreement.

use spindrift_service::Ports;
use spindrift_trust::{MetadataFile, MetadataVersion, Role as _, RoleName, Signed, TimestampRole};

use super::adopt_from_bucket::adopt_from_bucket;
use super::publish::publish;
use super::repair::write_missing;
use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::repository::Repository;

/// Finishes an unfinished commit, and rewrites files that differ in the bucket. Newer metadata in the bucket
/// that verifies is adopted: the database was restored from a backup. Returns the resulting repository.
pub(crate) async fn reconcile<P: Ports>(
    lease: &RepositoryLease<'_, P>,
) -> Result<Repository, RepositoryError> {
    let repository = lease.load()?;
    if repository.root.is_none() {
        return Ok(repository);
    }
    let row = &repository.row;
    if row.written_revision < row.revision {
        publish(lease).await?;
    }
    lease.app_repository().apply_listing(row).await?;
    let ours = repository.timestamp.as_ref().map(Signed::to_bytes).transpose()?;
    // The file has the same name in every version.
    let file = MetadataFile::new(RoleName::Timestamp, MetadataVersion::FIRST);
    let theirs = lease.get(row, &file, TimestampRole::MAX_BYTES).await?;
    if ours.as_deref() == theirs.as_deref() {
        return Ok(repository);
    }
    if let Some(theirs) = theirs
        && adopt_from_bucket(lease, &repository, &theirs).await?
    {
        return lease.load();
    }
    write_missing(lease, &repository).await?;
    Ok(repository)
}
