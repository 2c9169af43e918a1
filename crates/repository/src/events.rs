//! What is noted of changes: an event, which is also the task that callers can ask about.

use std::collections::BTreeMap;

use spindrift_core::{Id, Timestamp};
use spindrift_db::repository_events::{self, Event};
use spindrift_db::{SqlConn, repository_metadata};
use spindrift_service::Ports;
use spindrift_trust::RoleName;

use crate::error::RepositoryError;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The repository began.
    Bootstrap,
    /// It ended.
    BootstrapDelete,
    /// Metadata of people was sent.
    MetadataUpdate,
    /// A signature was sent.
    SignMetadata,
    /// What lacked signatures was dropped by a person.
    StagedDelete,
    /// What had lacked signatures for too long was dropped.
    StagedExpired,
    /// What lacked signatures was dropped because the list that it was made from is not current any more.
    StagedDropped,
    /// The service signed anew.
    OnlineUpdate,
    /// What the service lists was signed.
    ListUpdate,
    /// Settings were changed.
    ConfigUpdate,
    /// A person wanted bucket and database compared.
    Recovery,
    /// The newer metadata of the bucket was adopted by a restored database.
    Adopted,
}

impl EventKind {
    /// The text in the database and in answers.
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
            Self::Adopted => "take_over",
        }
    }
}

/// In the details of [`EventKind::StagedDropped`]: the role whose base has moved.
pub(crate) const DROPPED_ROLE: &str = "role";
/// Likewise: the event that moved it.
pub(crate) const DROPPED_BY: &str = "because";
/// Likewise: the event that told of what was dropped.
pub(crate) const DROPPED_TASK: &str = "task";

/// Who makes the service change a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What happens.
    pub kind: EventKind,
    /// A user's name, `token:` with the id of a token, or `service`.
    pub by: String,
}

impl Cause {
    /// The service by itself.
    pub fn service(kind: EventKind) -> Self {
        Self { kind, by: "service".to_owned() }
    }

    /// The event. `details`: roles and versions.
    pub(crate) fn event(
        &self,
        (id, app): (Id, &Id),
        message: impl Into<String>,
        details: impl IntoIterator<Item = (String, String)>,
        now: Timestamp,
    ) -> Event {
        let by = ("by".to_owned(), self.by.clone());
        let details: BTreeMap<_, _> = details.into_iter().chain([by]).collect();
        Event {
            id,
            app_id: app.clone(),
            kind: self.kind.as_str().to_owned(),
            message: message.into(),
            details,
            created_at: now,
        }
    }
}

/// What a call answers about what it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Done {
    /// The event.
    pub task: Id,
    /// When.
    pub at: Timestamp,
    /// Text for people.
    pub message: String,
}

impl Done {
    /// What made the current file of a role current. `None`: it has none.
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

impl From<&Event> for Done {
    fn from(event: &Event) -> Self {
        Self { task: event.id.clone(), at: event.created_at, message: event.message.clone() }
    }
}

/// Notes an event that goes with no change of metadata.
pub(crate) fn note(
    ports: &impl Ports,
    conn: &impl SqlConn,
    app: &Id,
    (cause, message): (&Cause, &str),
) -> Result<Done, RepositoryError> {
    let event = cause.event((ports.new_id(), app), message, [], ports.now());
    repository_events::insert(conn, &event)?;
    Ok(Done::from(&event))
}
