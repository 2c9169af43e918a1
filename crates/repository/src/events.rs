//! Events of a repository. An event is also the task that callers can ask about.

use std::collections::BTreeMap;

use serde_json::Value;
use spindrift_core::audit::{ActorType, AuditKind, AuditOrigin};
use spindrift_core::{Id, Timestamp};
use spindrift_db::repository_events::{self, RepositoryEvent};
use spindrift_db::{Audit, Audited, SqlConn, apps, repository_metadata};
use spindrift_service::Ports;
use spindrift_service::changes::edit;
use spindrift_trust::RoleName;

use crate::error::RepositoryError;
use crate::lease::RepositoryLease;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The repository was started.
    Bootstrap,
    /// The repository was ended.
    BootstrapDelete,
    /// Metadata that was signed offline was sent.
    MetadataUpdate,
    /// A signature was sent.
    SignMetadata,
    /// A user dropped staged metadata.
    StagedDelete,
    /// Staged metadata was dropped because it lacked signatures for too long.
    StagedExpired,
    /// Staged metadata was dropped because the list that it was made from is no longer current.
    StagedDropped,
    /// The service signed again.
    OnlineUpdate,
    /// The service signed targets to match the releases.
    ListUpdate,
    /// Settings were changed.
    ConfigUpdate,
    /// A user asked to compare bucket and database.
    Recovery,
    /// A restored database adopted the newer metadata in the bucket.
    Adopted,
}

impl EventKind {
    /// The text used in the database and in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bootstrap => "bootstrap",
            Self::BootstrapDelete => "bootstrap_delete",
            Self::MetadataUpdate => "metadata_update",
            Self::SignMetadata => "sign_metadata",
            Self::StagedDelete => "staged_delete",
            Self::StagedExpired => "staged_expired",
            Self::StagedDropped => "staged_dropped",
            Self::OnlineUpdate => "online_update",
            Self::ListUpdate => "list_update",
            Self::ConfigUpdate => "config_update",
            Self::Recovery => "recovery",
            Self::Adopted => "adopted",
        }
    }

    /// The kind of the entry in the audit log. `None`: events of this kind only follow from other changes.
    const fn audit_kind(self) -> Option<AuditKind> {
        Some(match self {
            Self::Bootstrap => AuditKind::TrustStart,
            Self::BootstrapDelete => AuditKind::TrustEnd,
            Self::MetadataUpdate => AuditKind::TrustUpdate,
            Self::SignMetadata => AuditKind::TrustSign,
            Self::StagedDelete => AuditKind::TrustDrop,
            Self::StagedExpired => AuditKind::TrustExpire,
            Self::OnlineUpdate => AuditKind::TrustRefresh,
            Self::ConfigUpdate => AuditKind::TrustConfigure,
            Self::Recovery => AuditKind::TrustRecover,
            Self::Adopted => AuditKind::TrustAdopt,
            Self::StagedDropped | Self::ListUpdate => return None,
        })
    }
}

/// The text of an event when everything that was sent is current.
pub(crate) const FINISHED: &str = "Metadata update finished";

/// In the details of all events: who or what caused it.
const BY: &str = "by";
/// In the details of [`EventKind::StagedDropped`]: the role whose base was replaced.
pub(crate) const DROPPED_ROLE: &str = "role";
/// Likewise: the event that replaced it.
pub(crate) const DROPPED_BY: &str = "because";
/// Likewise: the event with which the dropped metadata was staged.
pub(crate) const DROPPED_TASK: &str = "task";

/// The cause of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventCause {
    pub kind: EventKind,
    /// The caller. `None`: the service acted by itself.
    pub origin: Option<AuditOrigin>,
}

impl EventCause {
    /// The cause of what the service does by itself.
    pub fn service(kind: EventKind) -> Self {
        Self { kind, origin: None }
    }

    /// A user's name, `token:` with the id of a token, or `service`.
    fn by(&self) -> String {
        let Some(AuditOrigin { actor, .. }) = &self.origin else { return "service".to_owned() };
        match (actor.actor_type, &actor.id, &actor.name) {
            (ActorType::Token, Some(id), _) => format!("token:{id}"),
            (_, _, Some(name)) => name.clone(),
            _ => actor.actor_type.as_str().to_owned(),
        }
    }

    /// The entry of an event in the audit log. `None` for a renewal that was not requested.
    pub(crate) fn audit(
        &self,
        conn: &impl SqlConn,
        owner: &Id,
        event: &RepositoryEvent,
    ) -> Result<Audit, RepositoryError> {
        let is_routine = self.origin.is_none() && self.kind == EventKind::OnlineUpdate;
        let Some(kind) = self.kind.audit_kind().filter(|_| !is_routine) else {
            return Ok(Audit::Consequence);
        };
        let mut entry = self.origin.clone().unwrap_or_else(AuditOrigin::maintenance).entry(kind);
        if let Some(app) = apps::by_id(conn, owner, &event.app_id)? {
            entry = entry.of_app(&app.id, &app.name);
        }
        let versions = event.details.iter().filter(|(key, _)| *key != BY);
        entry.after.extend(versions.map(|(role, version)| (role.clone(), Value::from(version.as_str()))));
        Ok(entry.into())
    }

    /// Records the event in the transaction of its change.
    pub(crate) fn record(
        &self,
        conn: &impl Audited,
        owner: &Id,
        event: &RepositoryEvent,
    ) -> Result<Audit, RepositoryError> {
        repository_events::insert(conn, event)?;
        self.audit(conn, owner, event)
    }

    /// Builds the event. `details` holds roles and versions.
    pub(crate) fn event(
        &self,
        id: Id,
        app: &Id,
        message: impl Into<String>,
        details: impl IntoIterator<Item = (String, String)>,
        now: Timestamp,
    ) -> RepositoryEvent {
        let by = (BY.to_owned(), self.by());
        let details: BTreeMap<_, _> = details.into_iter().chain([by]).collect();
        RepositoryEvent {
            id,
            app_id: app.clone(),
            kind: self.kind.as_str().to_owned(),
            message: message.into(),
            details,
            created_at: now,
        }
    }
}

/// The answer to a call that changed something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    pub id: Id,
    pub at: Timestamp,
    pub message: String,
}

impl Task {
    /// The event with which the current file of a role became current. `None` if the role has no file.
    pub fn of_current(
        conn: &impl SqlConn,
        app: &Id,
        role: &RoleName,
    ) -> Result<Option<Self>, RepositoryError> {
        let file = repository_metadata::current(conn, app, &role.to_string())?;
        let event = file.map(|file| repository_events::by_id(conn, &file.event_id)).transpose()?.flatten();
        Ok(event.as_ref().map(Self::from))
    }
}

impl From<&RepositoryEvent> for Task {
    fn from(event: &RepositoryEvent) -> Self {
        Self { id: event.id.clone(), at: event.created_at, message: event.message.clone() }
    }
}

/// Records an event without a change of metadata.
pub(crate) fn record_event<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    owner: &Id,
    cause: &EventCause,
    message: &str,
) -> Result<Task, RepositoryError> {
    let RepositoryLease { ports, conn, app, .. } = *lease;
    let event = cause.event(ports.new_id(), app, message, [], ports.now());
    edit(ports, conn, owner, |conn| {
        let audit = cause.record(conn, owner, &event)?;
        Ok::<_, RepositoryError>((Task::from(&event), audit))
    })
}
