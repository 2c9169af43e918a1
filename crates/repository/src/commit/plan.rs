//! Plans the files that a change makes current.

use spindrift_db::repositories::RevisionColumns;
use spindrift_service::Ports;
use spindrift_trust::{
    Expirations, Expires, Generations, NewFile, NewLists, Purpose, Renewal, Role as _, RoleName, RootRole,
    Signed, SigningContext, SigningKey, TargetsSigner, due_at, due_renewal, next_files,
};

use crate::change::MetadataChange;
use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::repository::Repository;
use crate::service_targets::{ServiceTargets, service_targets};

/// The files that become current.
pub(super) struct CommitPlan {
    /// The new files. Empty if there is nothing to sign.
    pub(super) files: Vec<NewFile>,
    /// The other columns that change.
    pub(super) columns: RevisionColumns,
}

/// The service's keys that sign.
struct SigningKeys {
    generations: Generations,
    /// See [`SigningContext::online`].
    online: Vec<SigningKey>,
    /// The service's keys for targets that the coming root and the previous one name. Empty if neither names
    /// any.
    targets: Vec<SigningKey>,
    signer: TargetsSigner,
}

/// Plans the change. Fails while a role that is signed offline has expired, because clients would accept
/// nothing, and without the key that root names.
pub(super) async fn plan<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    change: &MetadataChange,
) -> Result<CommitPlan, RepositoryError> {
    let now = lease.ports.now();
    let replaced_root = repository.root.as_ref().filter(|_| change.proposal.root.is_some());
    let root = change.proposal.root.as_ref().or(repository.root.as_ref()).map(Signed::role);
    let root = root.ok_or(RepositoryError::NoRootYet)?;
    let signing = signing_keys(lease, repository, root, replaced_root.map(Signed::role))?;
    let lifetimes = repository.lifetimes()?;
    let context = SigningContext {
        root,
        replaced_root: replaced_root.map(Signed::role),
        snapshot: repository.snapshot.as_ref().map(Signed::role),
        timestamp: repository.timestamp.as_ref().map(Signed::role),
        online: &signing.online,
        lifetimes: &lifetimes,
        now,
    };
    let posted = change.proposal.targets.as_ref().map(|list| list.role().head().expires);
    let due = match expirations(repository, root, posted)? {
        None => Renewal::Nothing,
        Some(current) => {
            due_renewal(&current, signing.signer, &lifetimes, now).map_err(|role| expiry_error(&role))?
        }
    };
    let renewal = change.renewal.max(due);
    let (lists, synced_changes) = lists(lease, repository, change, &context, &signing, renewal).await?;
    let mut files = next_files(&context, &lists, renewal)?;
    if let Some(root) = &change.proposal.root {
        files.push(NewFile::of(RoleName::Root, root)?);
    }
    let columns = planned_columns(repository, root, &signing, &files)?;
    Ok(CommitPlan { files, columns: RevisionColumns { synced_changes, ..columns } })
}

fn expiry_error(role: &RoleName) -> RepositoryError {
    if *role == RoleName::Root { RepositoryError::RootExpired } else { RepositoryError::TargetsExpired }
}

fn signing_keys<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    root: &RootRole,
    replaced: Option<&RootRole>,
) -> Result<SigningKeys, RepositoryError> {
    let (keys, generations) = (lease.keys()?, repository.generations()?);
    let signer = TargetsSigner::of(root, &keys.ids(generations)?);
    let (online_generation, key) = keys.online(root, generations.online)?;
    let mut online = vec![key];
    let mut targets_generation = generations.targets;
    let mut targets = Vec::new();
    if signer == TargetsSigner::Service {
        let found = keys.targets(root, generations.targets)?;
        let (generation, key) = found.ok_or_else(|| RepositoryError::corrupt("key for targets"))?;
        targets_generation = generation;
        targets.push(key);
    }
    if let Some(replaced) = replaced {
        let online_id = replaced.online().keyids().first().filter(|id| !root.online().keyids().contains(id));
        if let Some(id) = online_id
            && let Some((_, key)) = keys.find(Purpose::Online, generations.online, id)?
        {
            online.push(key);
        }
        let is_ours = TargetsSigner::of(replaced, &keys.ids(generations)?) == TargetsSigner::Service;
        if is_ours
            && replaced.targets().keyids() != root.targets().keyids()
            && let Some((_, key)) = keys.targets(replaced, generations.targets)?
        {
            targets.push(key);
        }
    }
    let generations = Generations { online: online_generation, targets: targets_generation };
    Ok(SigningKeys { generations, online, targets, signer })
}

/// When the current metadata expires, together with the root and the publisher's targets that will be
/// current. `None` without a snapshot or timestamp: then they are always signed, or wait for an offline
/// signature.
fn expirations(
    repository: &Repository,
    root: &RootRole,
    targets: Option<Expires>,
) -> Result<Option<Expirations>, RepositoryError> {
    let (Some(snapshot), Some(timestamp)) = (&repository.snapshot, &repository.timestamp) else {
        return Ok(None);
    };
    let listed = || {
        let head =
            repository.lists.get(&RoleName::Targets).ok_or_else(|| RepositoryError::corrupt("targets"))?;
        Expires::at(head.expires_at).ok_or_else(|| RepositoryError::corrupt("end of targets"))
    };
    Ok(Some(Expirations {
        root: root.head().expires,
        targets: targets.map_or_else(listed, Ok)?,
        snapshot: snapshot.role().head().expires,
        timestamp: timestamp.role().head().expires,
    }))
}

/// The lists that become current, either those of the proposal or, where the service signs targets, its own;
/// and the number of changes of releases with which they are in sync.
async fn lists<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    change: &MetadataChange,
    context: &SigningContext<'_>,
    signing: &SigningKeys,
    renewal: Renewal,
) -> Result<(NewLists, i64), RepositoryError> {
    let mut lists =
        NewLists { targets: change.proposal.targets.clone(), channels: change.proposal.channels.clone() };
    if signing.signer == TargetsSigner::Publisher {
        if let Some(targets) = &mut lists.targets {
            // Also with the service's key that the replaced root names, if any, for clients that do not know
            // the new root yet.
            targets.sign(&signing.targets)?;
        }
        return Ok((lists, repository.row.synced_changes));
    }
    let current = repository.targets(lease.conn)?;
    let ServiceTargets { files: listed, is_whole } = service_targets(lease, repository).await?;
    let has_new_keys = context
        .replaced_root
        .is_some_and(|replaced| replaced.targets().keyids() != context.root.targets().keyids());
    let is_same = current.as_ref().is_some_and(|current| *current.role().targets() == listed);
    if !is_same || has_new_keys || renewal >= Renewal::Targets {
        let previous = current.as_ref().map(|current| current.role().head().version);
        lists.targets = Some(context.sign_targets(previous, listed, &signing.targets)?);
    }
    let row = &repository.row;
    Ok((lists, if is_whole { row.changes } else { row.synced_changes }))
}

fn planned_columns(
    repository: &Repository,
    root: &RootRole,
    signing: &SigningKeys,
    files: &[NewFile],
) -> Result<RevisionColumns, RepositoryError> {
    let new = |role: &RoleName| files.iter().find(|file| file.role == *role).map(|file| file.head.expires);
    let snapshot = || repository.snapshot.as_ref().map(|snapshot| snapshot.role().head().expires);
    let timestamp = || repository.timestamp.as_ref().map(|timestamp| timestamp.role().head().expires);
    let expires = [
        new(&RoleName::Targets).or_else(|| targets_expire(repository)),
        new(&RoleName::Snapshot).or_else(snapshot),
        new(&RoleName::Timestamp).or_else(timestamp),
    ];
    revision_columns(repository, signing.generations, signing.signer, root, expires)
}

/// When the current targets expire.
pub(super) fn targets_expire(repository: &Repository) -> Option<Expires> {
    repository.lists.get(&RoleName::Targets).and_then(|head| Expires::at(head.expires_at))
}

/// The columns that change when `root` becomes current, with targets, snapshot and timestamp that expire
/// then.
pub(super) fn revision_columns(
    repository: &Repository,
    generations: Generations,
    signer: TargetsSigner,
    root: &RootRole,
    [targets, snapshot, timestamp]: [Option<Expires>; 3],
) -> Result<RevisionColumns, RepositoryError> {
    let root = root.head().expires;
    let due_at = match (targets, snapshot, timestamp) {
        (Some(targets), Some(snapshot), Some(timestamp)) => {
            let current = Expirations { root, targets, snapshot, timestamp };
            due_at(&current, signer, &repository.lifetimes()?)
        }
        _ => None,
    };
    let offline = targets.filter(|_| signer == TargetsSigner::Publisher);
    Ok(RevisionColumns {
        synced_changes: repository.row.synced_changes,
        online_generation: generations.online.number(),
        targets_generation: generations.targets.number(),
        due_at,
        expires_at: Some(offline.map_or(root, |targets| targets.min(root)).time()),
    })
}
