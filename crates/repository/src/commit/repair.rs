//! Rewriting current files that are missing from the bucket.

use std::collections::BTreeMap;

use base16ct::lower;
use md5::{Digest as _, Md5};
use spindrift_db::repository_metadata;
use spindrift_service::Ports;
use spindrift_storage::ListedObject;
use spindrift_trust::{MetadataFile, MetadataVersion, RoleName};

use crate::bucket::object;
use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::repository::Repository;

/// Writes the current files and the roots whose entity tags in the bucket differ from theirs. Returns how
/// many were written.
pub(crate) async fn write_missing<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
) -> Result<usize, RepositoryError> {
    write_missing_of(lease, repository, &lease.objects(&repository.row).await?).await
}

/// Like [`write_missing`], given the objects in the bucket. The timestamp is written after the files that it
/// leads to, and roots come last, as in a commit.
pub(crate) async fn write_missing_of<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    objects: &[ListedObject],
) -> Result<usize, RepositoryError> {
    let (conn, app) = (lease.conn, lease.app);
    let tag = |object: &ListedObject| (object.key.to_string(), object.etag.clone());
    let there: BTreeMap<_, _> = objects.iter().map(tag).collect();
    let online = [RoleName::Snapshot, RoleName::Timestamp];
    let mut written = 0;
    for role in repository.lists.keys().chain(&online) {
        if let Some(file) = repository_metadata::current(conn, app, &role.to_string())? {
            written += usize::from(write_if_missing(lease, repository, &there, role, file).await?);
        }
    }
    for root in repository_metadata::since(conn, app, "root", i64::MIN)? {
        written += usize::from(write_if_missing(lease, repository, &there, &RoleName::Root, root).await?);
    }
    Ok(written)
}

async fn write_if_missing<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    there: &BTreeMap<String, String>,
    role: &RoleName,
    row: repository_metadata::MetadataRow,
) -> Result<bool, RepositoryError> {
    let version =
        MetadataVersion::from_number(row.version).ok_or_else(|| RepositoryError::corrupt("version"))?;
    let file = MetadataFile::new(role.clone(), version);
    let tag = lower::encode_string(&Md5::digest(row.content.as_bytes()));
    let is_there = there.get(&object(&repository.row, &file).key).is_some_and(|there| *there == tag);
    if !is_there {
        lease.put(&repository.row, &file, row.content).await?;
    }
    Ok(!is_there)
}
