//! Metadata that lacks signatures. Files that were sent in one call become current together.

use spindrift_core::{Id, Timestamp};
use spindrift_db::repository_events::{self, RepositoryEvent};
use spindrift_db::repository_staged::{self, StagedRow};
use spindrift_db::{Audited, SqlConn};
use spindrift_service::Ports;
use spindrift_service::changes::edit;
use spindrift_trust::{MetadataVersion, NewFile, Proposal, RoleName};

use crate::change::{MetadataChange, StagingCall};
use crate::error::RepositoryError;
use crate::events::{DROPPED_BY, DROPPED_ROLE, DROPPED_TASK, EventCause, EventKind, Task};
use crate::files::insert_old_roots;
use crate::lease::RepositoryLease;
use crate::repository::Repository;

/// Files that were sent in one call.
pub(crate) struct StagedProposal {
    pub(crate) staged_by: StagingCall,
    pub(crate) proposal: Proposal,
}

/// All staged metadata of a repository: one entry for each call that sent some.
fn all(conn: &impl SqlConn, app: &Id) -> Result<Vec<StagedProposal>, RepositoryError> {
    let rows = repository_staged::of_app(conn, app)?;
    let mut events: Vec<(&Id, Timestamp)> = rows.iter().map(|row| (&row.event_id, row.created_at)).collect();
    events.sort();
    events.dedup();
    let of_event = |(event, at): (&Id, Timestamp)| {
        let files = rows.iter().filter(|row| row.event_id == *event);
        let proposal = Proposal::read(files.map(|row| (row.role.as_str(), row.content.as_bytes())));
        let proposal = proposal.map_err(|_| RepositoryError::corrupt("staged metadata"))?;
        Ok(StagedProposal { staged_by: StagingCall { event: event.clone(), at }, proposal })
    };
    events.into_iter().map(of_event).collect()
}

/// The metadata that is staged together with this role. `None` if nothing is staged for the role.
pub(crate) fn of_role(
    conn: &impl SqlConn,
    app: &Id,
    role: &RoleName,
) -> Result<Option<StagedProposal>, RepositoryError> {
    Ok(all(conn, app)?.into_iter().find(|staged| staged.proposal.roles().any(|other| other == *role)))
}

/// The metadata that is staged for roles of this proposal.
pub(crate) fn of_roles(
    conn: &impl SqlConn,
    app: &Id,
    proposal: &Proposal,
) -> Result<Vec<StagedProposal>, RepositoryError> {
    let mut staged = all(conn, app)?;
    staged.retain(|staged| staged.proposal.roles().any(|role| proposal.roles().any(|other| other == role)));
    Ok(staged)
}

/// Stages a proposal in place of earlier files of the same roles, and records the event. `lacking` is the
/// first role that lacks signatures.
pub(crate) fn stage<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    change: &MetadataChange,
    lacking: &RoleName,
) -> Result<Task, RepositoryError> {
    let files = change.proposal.files()?;
    let version = files.iter().find(|(role, ..)| role == lacking).map(|(_, version, _)| version.number());
    let version = version.ok_or_else(|| RepositoryError::corrupt("staged metadata"))?;
    let text = format!("{lacking} v{version} is pending signatures");
    let versions = files.iter().map(|(role, version, _)| (role.to_string(), version.to_string()));
    let event = change.cause.event(lease.ports.new_id(), lease.app, text, versions, lease.ports.now());
    let new_call = || StagingCall { event: event.id.clone(), at: event.created_at };
    let staged_by = change.staged_by.clone().unwrap_or_else(new_call);
    let row = |(role, version, bytes): (RoleName, MetadataVersion, Vec<u8>)| {
        Ok(StagedRow {
            base: repository.lists.get(&role).map_or(0, |head| head.version.number()),
            role: role.to_string(),
            version: version.number(),
            content: String::from_utf8(bytes).map_err(|_| RepositoryError::corrupt("file"))?,
            event_id: staged_by.event.clone(),
            created_at: staged_by.at,
        })
    };
    let rows = files.into_iter().map(row).collect::<Result<Vec<_>, RepositoryError>>()?;
    let (owner, revision) = (&repository.row.owner_id, repository.row.revision + 1);
    edit(lease.ports, lease.conn, owner, |conn| {
        repository.ensure(conn)?;
        let audit = change.cause.record(conn, owner, &event)?;
        insert_old_roots(conn, &change.old_roots, &event, revision, event.created_at)?;
        rows.iter().try_for_each(|row| repository_staged::put(conn, lease.app, row))?;
        Ok::<_, RepositoryError>(((), audit))
    })?;
    Ok(Task::from(&event))
}

/// Drops staged files that are based on a root or list which `files` have replaced, and those that were sent
/// with them. `event` is that of the replacement. Call it in a transaction.
pub(crate) fn drop_outdated(
    ports: &impl Ports,
    conn: &impl Audited,
    files: &[NewFile],
    event: &RepositoryEvent,
) -> Result<(), RepositoryError> {
    let app = &event.app_id;
    for staged in repository_staged::of_app(conn, app)? {
        let is_of_role = |file: &NewFile| file.role.to_string() == staged.role;
        if !files.iter().any(is_of_role) || !repository_staged::is_pending(conn, &staged.event_id)? {
            continue;
        }
        repository_staged::delete_of_event(conn, app, &staged.event_id)?;
        let changed = if staged.role == "root" { "root has" } else { "targets have" };
        let message = format!("{} v{} was dropped: {changed} changed", staged.role, staged.version);
        let details = [
            (DROPPED_TASK.to_owned(), staged.event_id.to_string()),
            (DROPPED_ROLE.to_owned(), staged.role),
            (DROPPED_BY.to_owned(), event.id.to_string()),
        ];
        let cause = EventCause::service(EventKind::StagedDropped);
        repository_events::insert(conn, &cause.event(ports.new_id(), app, message, details, ports.now()))?;
    }
    Ok(())
}
