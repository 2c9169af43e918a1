//! Calls that repeat one whose answer was lost, so that what they bring is current already.

use std::collections::BTreeMap;

use spindrift_db::{repository_events, repository_metadata};
use spindrift_service::Ports;
use spindrift_trust::{Proposal, Role, RoleName, Signature, Signed};

use crate::error::RepositoryError;
use crate::events::{DROPPED_BY, DROPPED_ROLE, EventKind, FINISHED, Task};
use crate::lease::RepositoryLease;
use crate::repository::Repository;

/// The answer to a proposal that is already current. `None` if it is not.
pub(crate) fn repeated_post<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    proposal: &Proposal,
) -> Result<Option<Task>, RepositoryError> {
    if !is_current(lease, repository, proposal)? {
        return Ok(None);
    }
    let role = proposal.roles().last().ok_or_else(|| RepositoryError::corrupt("metadata"))?;
    task_of_current(lease, &role).map(Some)
}

/// Whether all files of the proposal are already current.
pub(crate) fn is_current<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    proposal: &Proposal,
) -> Result<bool, RepositoryError> {
    fn is_same<R: Role + PartialEq>(proposed: Option<&Signed<R>>, current: Option<&Signed<R>>) -> bool {
        proposed.is_none_or(|proposed| current.is_some_and(|current| current.role() == proposed.role()))
    }
    if !is_same(proposal.root.as_ref(), repository.root.as_ref()) {
        return Ok(false);
    }
    if proposal.targets.is_some() {
        let targets = repository.targets(lease.conn)?;
        if !is_same(proposal.targets.as_ref(), targets.as_ref()) {
            return Ok(false);
        }
    }
    let channels =
        if proposal.channels.is_empty() { BTreeMap::new() } else { repository.channels(lease.conn)? };
    Ok(proposal.channels.iter().all(|(channel, list)| is_same(Some(list), channels.get(channel))))
}

/// The answer to a signature for a role that has no staged metadata. Fails unless the current file already
/// has the signature.
pub(crate) fn repeated_signature<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    role: &RoleName,
    signature: &Signature,
) -> Result<Task, RepositoryError> {
    if has_signature(lease, repository, role, signature)? {
        task_of_current(lease, role)
    } else if was_dropped(lease, role)? {
        Err(RepositoryError::TargetsChanged)
    } else {
        Err(RepositoryError::NothingStaged)
    }
}

fn has_signature<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    role: &RoleName,
    signature: &Signature,
) -> Result<bool, RepositoryError> {
    let signatures = match role {
        RoleName::Root => repository.root.as_ref().map(|root| root.signatures().to_vec()),
        RoleName::Targets => repository.targets(lease.conn)?.map(|list| list.signatures().to_vec()),
        RoleName::Channel(channel) => {
            repository.channels(lease.conn)?.get(channel).map(|list| list.signatures().to_vec())
        }
        RoleName::Snapshot | RoleName::Timestamp => None,
    };
    Ok(signatures.is_some_and(|signatures| signatures.contains(signature)))
}

/// Whether the call that made the current file current dropped the staged metadata of the role.
fn was_dropped<P: Ports>(lease: &RepositoryLease<'_, P>, role: &RoleName) -> Result<bool, RepositoryError> {
    let (conn, role) = (lease.conn, role.to_string());
    let Some(current) = repository_metadata::current(conn, lease.app, &role)? else { return Ok(false) };
    let dropped = repository_events::latest(conn, lease.app, EventKind::StagedDropped.as_str())?;
    Ok(dropped.is_some_and(|dropped| {
        let is = |key: &str, value: &str| dropped.details.get(key).is_some_and(|found| found == value);
        is(DROPPED_ROLE, &role) && is(DROPPED_BY, current.event_id.as_str())
    }))
}

/// The answer of the call that made the role's current file current.
fn task_of_current<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    role: &RoleName,
) -> Result<Task, RepositoryError> {
    let task = Task::of_current(lease.conn, lease.app, role)?;
    let task = task.ok_or_else(|| RepositoryError::corrupt("event"))?;
    Ok(Task { message: FINISHED.to_owned(), ..task })
}
