//! Step 4: brings the bucket up to date with what is current.

use spindrift_db::repositories::{self, Repository};
use spindrift_db::repository_metadata;
use spindrift_service::Ports;
use spindrift_trust::{MetadataFile, MetadataVersion, RoleName};

use crate::error::RepositoryError;
use crate::lease::RepositoryLease;

/// Maximum number of attempts. Another one is needed only if another call has made newer metadata current in
/// the meantime, which happens only if this call has lost its lease.
const MAX_ATTEMPTS: usize = 3;

/// Writes the timestamp, and then the roots that the bucket lacks. Installed copies with either root verify
/// the snapshot and timestamp that come with a new root, but those with the new root do not verify earlier
/// ones: so a root is written last. If something newer has become current by then, that is written too.
/// Returns the repository whose metadata is in the bucket.
pub(crate) async fn publish<P: Ports>(lease: &RepositoryLease<'_, P>) -> Result<Repository, RepositoryError> {
    let (conn, app) = (lease.conn, lease.app);
    for _ in 0..MAX_ATTEMPTS {
        let row = repositories::by_app(conn, app)?.ok_or(RepositoryError::NoRepository)?;
        if let Some(timestamp) = repository_metadata::current(conn, app, "timestamp")? {
            let file = file(RoleName::Timestamp, timestamp.version)?;
            lease.put(&row, &file, timestamp.content).await?;
        }
        for root in repository_metadata::since(conn, app, "root", row.written_revision)? {
            lease.put(&row, &file(RoleName::Root, root.version)?, root.content).await?;
        }
        if repositories::set_written(conn, app, row.revision)? {
            return Ok(row);
        }
    }
    Err(RepositoryError::InUse)
}

fn file(role: RoleName, version: u64) -> Result<MetadataFile, RepositoryError> {
    let version = MetadataVersion::from_number(version).ok_or_else(|| RepositoryError::corrupt("version"))?;
    Ok(MetadataFile::new(role, version))
}
