//! Proposals and signatures that users send.

use spindrift_core::Id;
use spindrift_db::{repository_events, repository_metadata};
use spindrift_service::Ports;
use spindrift_service::changes::edit;
use spindrift_trust::{Again, Proposal, RoleName, Signature};

use crate::commit::{MetadataChange, commit, reconcile};
use crate::error::RepositoryError;
use crate::events::{Cause, DROPPED_BY, DROPPED_ROLE, EventKind, Task};
use crate::lease::{RepositoryLease, with_lease};
use crate::repository::Repository;
use crate::staged::{Staged, of_role, pending_event, stage, stage_new, staged};
use crate::validate::{is_current, validate};

/// The text when everything that was sent is current.
const FINISHED: &str = "Metadata update finished";

/// Accepts metadata: with enough signatures it becomes current, with only some it waits for the others.
/// `base` is the version of the list that it was made from, which is that of targets or else of the channel;
/// 0 means that there was none. Fails if another version is current. Also fails while something else is
/// staged for these roles, unless the new metadata has all signatures and may replace it: then what was
/// staged is dropped.
pub async fn post<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    app: &Id,
    proposal: Proposal,
    base: Option<u64>,
    cause: Cause,
) -> Result<Task, RepositoryError> {
    with_lease(ports, conn, app, async |lease| {
        let repository = reconcile(lease).await?;
        if is_current(lease, &repository, &proposal)? {
            return repeated(lease, &proposal);
        }
        // Before the other rules: a list that was made from an older one usually breaks those too, and has to
        // be made again anyway.
        require_base(&repository, &proposal, base)?;
        let mut waiting = waiting(lease, &proposal)?;
        let mut proposal = proposal;
        let is_same = matches!(waiting.as_slice(), [only] if proposal.merge(&only.proposal));
        let earlier = if is_same { waiting.pop() } else { None };
        let lacking = validate(lease, &repository, &proposal).await?;
        let may_replace = |other: &Staged| lacking.is_empty() && proposal.may_replace(&other.proposal);
        if !waiting.iter().all(may_replace) {
            return Err(RepositoryError::TargetsChanged);
        }
        accept(lease, &repository, proposal, lacking, earlier, cause).await
    })
    .await
}

/// Staged metadata of the same roles: one entry for each call that sent some.
fn waiting<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    proposal: &Proposal,
) -> Result<Vec<Staged>, RepositoryError> {
    let mut staged = staged(lease.conn, lease.app)?;
    staged.retain(|staged| staged.proposal.roles().any(|role| proposal.roles().any(|other| other == role)));
    Ok(staged)
}

fn require_base(
    repository: &Repository,
    proposal: &Proposal,
    base: Option<u64>,
) -> Result<(), RepositoryError> {
    let role = match (&proposal.targets, proposal.channels.keys().next()) {
        (None, Some(channel)) => RoleName::Channel(channel.clone()),
        _ => RoleName::Targets,
    };
    let current = repository.lists.get(&role).map_or(0, |head| head.version.number());
    if base.is_none_or(|base| base == current) { Ok(()) } else { Err(RepositoryError::TargetsChanged) }
}

async fn accept<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    proposal: Proposal,
    lacking: Vec<RoleName>,
    earlier: Option<Staged>,
    cause: Cause,
) -> Result<Task, RepositoryError> {
    let accepted = earlier.as_ref().map(|earlier| earlier.event.clone());
    if lacking.is_empty() {
        let (old_roots, again) = (Vec::new(), Again::Nothing);
        let change = MetadataChange { proposal, old_roots, again, accepted, cause, message: FINISHED };
        return commit(lease, repository, change).await;
    }
    let event = pending_event(lease, &proposal, &lacking, &cause)?;
    match earlier {
        None => stage_new(lease, repository, proposal, &[], &event, &cause)?,
        Some(earlier) => {
            let staged = Staged { proposal, ..earlier };
            let owner = &repository.row.owner_id;
            edit(lease.ports, lease.conn, owner, |conn| {
                let audit = cause.record(conn, owner, &event)?;
                stage(conn, repository, &staged)?;
                Ok::<_, RepositoryError>(((), audit))
            })?;
        }
    }
    Ok(Task::from(&event))
}

/// Adds a signature to the staged metadata of a role. With the last missing signature it becomes current,
/// together with everything that was sent with it. Fails if nothing is staged.
pub async fn sign<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    app: &Id,
    role: &RoleName,
    signature: Signature,
    cause: Cause,
) -> Result<Task, RepositoryError> {
    with_lease(ports, conn, app, async |lease| {
        let repository = reconcile(lease).await?;
        let Some(mut staged) = of_role(conn, app, role)? else {
            if has_signature(&repository, lease, role, &signature)? {
                return task_of_current(lease, role);
            }
            let was_dropped = was_dropped(lease, role)?;
            return Err(if was_dropped {
                RepositoryError::TargetsChanged
            } else {
                RepositoryError::NothingStaged
            });
        };
        staged.proposal.add(role, signature);
        let lacking = validate(lease, &repository, &staged.proposal).await?;
        let proposal = staged.proposal.clone();
        accept(lease, &repository, proposal, lacking, Some(staged), cause).await
    })
    .await
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

/// Whether the current file of the role already has this signature: then the call repeats one whose answer
/// was lost.
fn has_signature<P: Ports>(
    repository: &Repository,
    lease: &RepositoryLease<'_, P>,
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

/// The answer to a repeated call, whose files are already current.
fn repeated<P: Ports>(lease: &RepositoryLease<'_, P>, proposal: &Proposal) -> Result<Task, RepositoryError> {
    let role = proposal.roles().last().ok_or_else(|| RepositoryError::corrupt("metadata"))?;
    task_of_current(lease, &role)
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
