//! Metadata that lacks signatures. Files that were sent in one call become current together.

use spindrift_core::{Id, Timestamp};
use spindrift_db::repository_events::RepositoryEvent;
use spindrift_db::repository_staged::{self, StagedRow};
use spindrift_db::{Audited, SqlConn, repositories, repository_metadata};
use spindrift_service::Ports;
use spindrift_service::changes::edit;
use spindrift_trust::{NewFile, Proposal, RoleName};

use crate::commit::insert_old_roots;
use crate::error::RepositoryError;
use crate::events::{Cause, Task};
use crate::lease::{RepositoryLease, with_lease};
use crate::repository::Repository;

/// Files that were sent in one call.
#[derive(Debug)]
pub struct Staged {
    /// The event of that call.
    pub event: Id,
    /// When it was sent.
    pub at: Timestamp,
    pub proposal: Proposal,
}

/// All staged metadata of a repository.
pub fn staged(conn: &impl SqlConn, app: &Id) -> Result<Vec<Staged>, RepositoryError> {
    let rows = repository_staged::of_app(conn, app)?;
    let mut events: Vec<(&Id, Timestamp)> = rows.iter().map(|row| (&row.event_id, row.created_at)).collect();
    events.sort();
    events.dedup();
    let of_event = |(event, at): (&Id, Timestamp)| {
        let files = rows.iter().filter(|row| row.event_id == *event);
        let proposal = Proposal::read(files.map(|row| (row.role.as_str(), row.content.as_bytes())));
        let proposal = proposal.map_err(|_| RepositoryError::corrupt("staged metadata"))?;
        Ok(Staged { event: event.clone(), at, proposal })
    };
    events.into_iter().map(of_event).collect()
}

/// The metadata that is staged together with this role. `None` if nothing is staged for the role.
pub(crate) fn of_role(
    conn: &impl SqlConn,
    app: &Id,
    role: &RoleName,
) -> Result<Option<Staged>, RepositoryError> {
    Ok(staged(conn, app)?.into_iter().find(|staged| staged.proposal.roles().any(|other| other == *role)))
}

/// The event of a proposal in which the roles in `lacking` lack signatures.
pub(crate) fn pending_event<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    proposal: &Proposal,
    lacking: &[RoleName],
    cause: &Cause,
) -> Result<RepositoryEvent, RepositoryError> {
    let files = proposal.files()?;
    let first = files.iter().find(|(role, ..)| lacking.contains(role));
    let (role, version, _) = first.ok_or_else(|| RepositoryError::corrupt("staged metadata"))?;
    let text = format!("{role} v{version} is pending signatures");
    let versions = files.iter().map(|(role, version, _)| (role.to_string(), version.to_string()));
    Ok(cause.event(lease.ports.new_id(), lease.app, text, versions, lease.ports.now()))
}

/// Stages the files of `event`, replacing earlier ones of the same roles. Call it in a transaction.
pub(crate) fn stage(
    conn: &impl Audited,
    repository: &Repository,
    staged: &Staged,
) -> Result<(), RepositoryError> {
    for (role, version, bytes) in staged.proposal.files()? {
        let row = StagedRow {
            base: repository.lists.get(&role).map_or(0, |head| head.version.number()),
            role: role.to_string(),
            version: version.number(),
            content: String::from_utf8(bytes).map_err(|_| RepositoryError::corrupt("file"))?,
            event_id: staged.event.clone(),
            created_at: staged.at,
        };
        repository_staged::put(conn, &repository.row.app_id, &row)?;
    }
    Ok(())
}

/// Stages a proposal and records its event. `old_roots` are roots that it follows and that are not recorded
/// yet.
pub(crate) fn stage_new<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
    proposal: Proposal,
    old_roots: &[NewFile],
    event: &RepositoryEvent,
    cause: &Cause,
) -> Result<(), RepositoryError> {
    let staged = Staged { event: event.id.clone(), at: event.created_at, proposal };
    let revision = repository.row.revision + 1;
    let owner = &repository.row.owner_id;
    edit(lease.ports, lease.conn, owner, |conn| {
        repository.ensure(conn)?;
        let audit = cause.record(conn, owner, event)?;
        insert_old_roots(conn, old_roots, event, revision, event.created_at)?;
        stage(conn, repository, &staged)?;
        Ok(((), audit))
    })
}

/// Drops what is staged for a role, and what was sent with it. This ends a repository that has no root yet.
/// Fails if nothing is staged.
pub async fn drop_staged<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    app: &Id,
    role: &RoleName,
    cause: Cause,
) -> Result<Task, RepositoryError> {
    with_lease(ports, conn, app, async |lease| {
        let repository = lease.load()?;
        let staged = of_role(conn, app, role)?.ok_or(RepositoryError::NothingStaged)?;
        let files = staged.proposal.files()?;
        let versions = files.into_iter().map(|(role, version, _)| (role.to_string(), version.to_string()));
        let message = "Metadata pending signatures was deleted";
        let event = cause.event(ports.new_id(), app, message, versions, ports.now());
        let owner = &repository.row.owner_id;
        edit(ports, conn, owner, |conn| {
            let audit = cause.record(conn, owner, &event)?;
            repository_staged::delete_of_event(conn, app, &staged.event)?;
            if repository.root.is_none() {
                repository_staged::delete_all(conn, app)?;
                repository_metadata::delete_all(conn, app)?;
                repositories::delete(conn, app)?;
            }
            Ok::<_, RepositoryError>(((), audit))
        })?;
        Ok(Task::from(&event))
    })
    .await
}
