//! Adopting metadata of the bucket, after the database was restored from an older backup.

use std::collections::BTreeMap;

use bytes::Bytes;
use spindrift_db::repositories::RevisionColumns;
use spindrift_db::repository_metadata;
use spindrift_service::Ports;
use spindrift_service::changes::refresh;
use spindrift_trust::{
    FileMeta, Generations, MetadataFile, NewFile, Role, RoleName, RootRole, Signed, Signers, SnapshotRole,
    TargetsRole, TargetsSigner, TimestampRole, TrustError, check_root_history,
};

use super::make_current::{NewMetadata, make_current};
use super::plan::{revision_columns, targets_expire};
use super::publish::publish;
use crate::error::RepositoryError;
use crate::events::{EventCause, EventKind};
use crate::lease::RepositoryLease;
use crate::repository::Repository;

/// Maximum number of roots by which the bucket may be ahead of a restored database: as many as clients
/// follow.
const MAX_ROOTS_AHEAD: usize = 256;

/// Newer metadata of the bucket that was verified.
struct NewerMetadata {
    /// The roots that follow the database's, oldest first.
    roots: Vec<Signed<RootRole>>,
    timestamp: Signed<TimestampRole>,
    snapshot: Signed<SnapshotRole>,
    /// The lists that differ from those in the database.
    lists: BTreeMap<RoleName, Signed<TargetsRole>>,
}

/// Adopts the bucket's metadata, whose timestamp is `timestamp`, if it is newer than that of the database,
/// complete, and verifies from the database's root. `false`: the bucket's metadata is not adopted, and that
/// of the database has to be written. Numbers far ahead of the clock are not adopted either: they were made
/// up to block later ones.
pub(super) async fn adopt_from_bucket<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    timestamp: &[u8],
) -> Result<bool, RepositoryError> {
    let Some(found) = find(lease, repository, timestamp).await? else { return Ok(false) };
    let cause = EventCause::service(EventKind::Adopted);
    let columns = adopted_columns(lease, repository, &found)?;
    let (files, old_roots) = found.files()?;
    let versions = files.iter().map(|file| (file.role.to_string(), file.head.version.to_string()));
    let message = "Newer metadata of the bucket was adopted by a restored database";
    let id = lease.ports.new_id();
    let event = cause.event(id, lease.app, message, versions, lease.ports.now());
    let new = NewMetadata { files, old_roots, columns, accepted: None, event, cause };
    let stale = make_current(lease, repository, &new)?;
    let row = publish(lease).await?;
    refresh(lease.ports, lease.conn, &row.owner, &stale).await?;
    lease.app_repository().apply_listing(&row).await?;
    Ok(true)
}

impl NewerMetadata {
    /// The files that become current, and the roots before the newest one.
    fn files(&self) -> Result<(Vec<NewFile>, Vec<NewFile>), TrustError> {
        let root = |root: &Signed<RootRole>| NewFile::of(RoleName::Root, root);
        let mut roots = self.roots.iter().map(root).collect::<Result<Vec<_>, _>>()?;
        let lists = self.lists.iter().map(|(role, list)| NewFile::of(role.clone(), list));
        let mut files = lists.collect::<Result<Vec<_>, _>>()?;
        files.extend(roots.pop());
        files.push(NewFile::of(RoleName::Snapshot, &self.snapshot)?);
        files.push(NewFile::of(RoleName::Timestamp, &self.timestamp)?);
        Ok((files, roots))
    }
}

async fn find<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    timestamp: &[u8],
) -> Result<Option<NewerMetadata>, RepositoryError> {
    let Ok(timestamp) = Signed::<TimestampRole>::read(timestamp) else { return Ok(None) };
    let ours = repository.timestamp.as_ref().map(|ours| ours.role().head().version);
    let version = timestamp.role().head().version;
    if ours.is_some_and(|ours| version <= ours) || version.is_far_ahead(lease.ports.now()) {
        return Ok(None);
    }
    let Some(current) = &repository.root else { return Ok(None) };
    let roots = roots_after(lease, repository, current.role()).await?;
    let root = roots.last().unwrap_or(current).role();
    if !timestamp.is_signed_by(root.online())? {
        return Ok(None);
    }
    let Some(snapshot) = snapshot(lease, repository, root, &timestamp).await? else { return Ok(None) };
    let Some(lists) = lists(lease, repository, root, snapshot.role()).await? else { return Ok(None) };
    Ok(Some(NewerMetadata { roots, timestamp, snapshot, lists }))
}

/// The roots in the bucket that follow the database's, as far as they verify.
async fn roots_after<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    ours: &RootRole,
) -> Result<Vec<Signed<RootRole>>, RepositoryError> {
    let mut roots: Vec<Signed<RootRole>> = Vec::new();
    while roots.len() < MAX_ROOTS_AHEAD {
        let newest = roots.last().map_or(ours, Signed::role);
        let Some(version) = newest.head().version.following() else { break };
        let file = MetadataFile::new(RoleName::Root, version);
        let Some(bytes) = lease.get(&repository.row, &file, RootRole::MAX_BYTES).await? else { break };
        let Ok(next) = Signed::read(&bytes) else { break };
        if check_root_history(Some(newest), std::slice::from_ref(&next)).is_err() {
            break;
        }
        roots.push(next);
    }
    Ok(roots)
}

async fn snapshot<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    root: &RootRole,
    timestamp: &Signed<TimestampRole>,
) -> Result<Option<Signed<SnapshotRole>>, RepositoryError> {
    let meta = &timestamp.role().snapshot;
    let Some(bytes) = fetch::<P, SnapshotRole>(lease, repository, &RoleName::Snapshot, meta).await? else {
        return Ok(None);
    };
    let Ok(snapshot) = Signed::<SnapshotRole>::read(&bytes) else { return Ok(None) };
    let now = lease.ports.now();
    // This includes channels that no longer have signers, which are not checked below.
    if snapshot.role().channels().values().any(|meta| meta.version().is_far_ahead(now)) {
        return Ok(None);
    }
    let follows = repository.snapshot.as_ref().is_none_or(|ours| snapshot.role().follows(ours.role()));
    Ok((follows && snapshot.is_signed_by(root.online())?).then_some(snapshot))
}

/// The lists that the snapshot names and that differ from those in the database. Lists of channels without
/// signers of their own may be missing.
async fn lists<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    root: &RootRole,
    snapshot: &SnapshotRole,
) -> Result<Option<BTreeMap<RoleName, Signed<TargetsRole>>>, RepositoryError> {
    let mut lists = BTreeMap::new();
    let role = RoleName::Targets;
    let has_our_targets = is_ours(lease, repository, &role, snapshot.targets())?;
    let targets = match has_our_targets {
        Some(true) => repository.targets(lease.conn)?,
        Some(false) => None,
        None => list(lease, repository, &role, snapshot.targets(), root.targets()).await?,
    };
    let Some(targets) = targets else { return Ok(None) };
    for channel in targets.role().delegations().iter().flat_map(|delegations| delegations.channels()) {
        let role = RoleName::Channel(channel.clone());
        let signers = targets.role().delegations().and_then(|delegations| delegations.signers(channel));
        let Some((meta, signers)) = snapshot.channels().get(channel).zip(signers) else { return Ok(None) };
        match is_ours(lease, repository, &role, meta)? {
            Some(true) => continue,
            Some(false) => return Ok(None),
            None => (),
        }
        let Some(found) = list(lease, repository, &role, meta, signers).await? else { return Ok(None) };
        lists.insert(role, found);
    }
    if has_our_targets.is_none() {
        lists.insert(role, targets);
    }
    Ok(Some(lists))
}

/// Whether `meta` describes the database's list of the role. `None`: it describes another version. `false`:
/// it describes a different file with the same version; clients would no longer accept the one in the
/// database.
fn is_ours<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    role: &RoleName,
    meta: &FileMeta,
) -> Result<Option<bool>, RepositoryError> {
    if repository.lists.get(role).is_none_or(|ours| ours.version != meta.version()) {
        return Ok(None);
    }
    let ours = repository_metadata::current(lease.conn, lease.app, &role.to_string())?;
    Ok(Some(ours.is_some_and(|ours| meta.is_of(ours.content.as_bytes()))))
}

async fn list<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    role: &RoleName,
    meta: &FileMeta,
    signers: Signers<'_>,
) -> Result<Option<Signed<TargetsRole>>, RepositoryError> {
    let Some(bytes) = fetch::<P, TargetsRole>(lease, repository, role, meta).await? else {
        return Ok(None);
    };
    let Ok(list) = Signed::<TargetsRole>::read(&bytes) else { return Ok(None) };
    let is_it = list.role().head().version == meta.version();
    Ok((is_it && list.is_signed_by(signers)?).then_some(list))
}

/// The file that `meta` describes.
async fn fetch<P: Ports, R: Role>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    role: &RoleName,
    meta: &FileMeta,
) -> Result<Option<Bytes>, RepositoryError> {
    if meta.version().is_far_ahead(lease.ports.now()) {
        return Ok(None);
    }
    let file = MetadataFile::new(role.clone(), meta.version());
    let bytes = lease.get(&repository.row, &file, R::MAX_BYTES).await?;
    Ok(bytes.filter(|bytes| meta.is_of(bytes)))
}

fn adopted_columns<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    found: &NewerMetadata,
) -> Result<RevisionColumns, RepositoryError> {
    let (keys, near) = (lease.keys()?, repository.generations()?);
    let root = found.roots.last().or(repository.root.as_ref()).map(Signed::role);
    let Some(root) = root else { return Err(RepositoryError::corrupt("root")) };
    let (online, _) = keys.online(root, near.online)?;
    let targets = keys.targets(root, near.targets)?.map_or(near.targets, |(found, _)| found);
    let generations = Generations { online, targets };
    let signer = TargetsSigner::of(root, &keys.ids(generations)?);
    let listed = found.lists.get(&RoleName::Targets).map(|list| list.role().head().expires);
    let expires = [
        listed.or_else(|| targets_expire(repository)).unwrap_or(root.head().expires),
        found.snapshot.role().head().expires,
        found.timestamp.role().head().expires,
    ];
    revision_columns(repository, generations, signer, root, expires.map(Some))
}
