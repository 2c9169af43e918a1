//! Entries of the audit log.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::kind::AuditKind;
use crate::{AppName, Id, Timestamp, Version};

/// Maximum length of a changed field's text, in characters. Longer texts, such as release notes,
/// are truncated.
const MAX_FIELD_CHARS: usize = 1000;

/// The kind of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActorType {
    /// A person.
    User,
    /// A CI token.
    Token,
    /// A CI job that proved who it is.
    Publisher,
    /// A person with a link from a message of a webhook.
    Webhook,
    /// `POST /maintenance/run`.
    Maintenance,
    /// The service, at a scheduled time.
    Clock,
    /// A kind that a later version has added. Only read, never written.
    #[serde(other)]
    Unknown,
}

impl ActorType {
    /// The text in entries.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Token => "token",
            Self::Publisher => "publisher",
            Self::Webhook => "webhook",
            Self::Maintenance => "maintenance",
            Self::Clock => "clock",
            Self::Unknown => "unknown",
        }
    }
}

/// The user, token, publisher, webhook or part of the service that made a change. The name is the one at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditActor {
    /// The kind.
    #[serde(rename = "type")]
    pub actor_type: ActorType,
    /// The id of the user, token, publisher or webhook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The name of the user, token or webhook; for a publisher, that of the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The origin of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditOrigin {
    /// The author of the change.
    pub actor: AuditActor,
    /// The id of the request.
    pub request_id: Option<String>,
}

impl AuditOrigin {
    /// A change that maintenance makes on its own.
    pub const fn maintenance() -> Self {
        let actor = AuditActor { actor_type: ActorType::Maintenance, id: None, name: None };
        Self { actor, request_id: None }
    }

    /// A change caused by time alone.
    pub const fn clock() -> Self {
        let actor = AuditActor { actor_type: ActorType::Clock, id: None, name: None };
        Self { actor, request_id: None }
    }

    /// An entry with this origin. The entry's methods add more.
    pub fn entry(&self, kind: AuditKind) -> AuditEntry {
        AuditEntry {
            actor: self.actor.clone(),
            request_id: self.request_id.clone(),
            kind,
            app: None,
            app_id: None,
            channel: None,
            release: None,
            object: None,
            before: Map::new(),
            after: Map::new(),
            reason: None,
        }
    }
}

/// A release, with its version at the time of the change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditRelease {
    /// Its id.
    pub id: Id,
    /// Its version.
    pub version: String,
}

/// The changed item, whose type is in the entry's kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditObject {
    /// Its id.
    pub id: Id,
    /// Its name.
    pub name: String,
}

/// A change, without its place in the log.
///
/// `before` and `after` have changed fields only, and never a password, token, key, device or
/// report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// The author of the change.
    pub actor: AuditActor,
    /// The id of the request that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The type of the item, and the change.
    pub kind: AuditKind,
    /// The name of the application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The id of the application, which stays when its name changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app_id: Option<Id>,
    /// The channel of the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<AuditRelease>,
    /// The changed item, unless it is the application or the release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<AuditObject>,
    /// The changed fields before the change.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub before: Map<String, Value>,
    /// The changed fields after it.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub after: Map<String, Value>,
    /// The caller's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AuditEntry {
    /// Names the application.
    #[must_use]
    pub fn of_app(mut self, id: &Id, name: &AppName) -> Self {
        self.app_id = Some(id.clone());
        self.app = Some(name.as_str().to_owned());
        self
    }

    /// Names the release, and its channel if it has one.
    #[must_use]
    pub fn of_release(mut self, id: &Id, version: &Version, channel: Option<&str>) -> Self {
        self.release = Some(AuditRelease { id: id.clone(), version: version.as_str().to_owned() });
        self.channel = channel.map(str::to_owned);
        self
    }

    /// Adds the caller's reason.
    #[must_use]
    pub fn with_reason(mut self, reason: Option<String>) -> Self {
        self.reason = reason;
        self
    }

    /// Names the changed item.
    #[must_use]
    pub fn of_object(mut self, id: &Id, name: impl Into<String>) -> Self {
        self.object = Some(AuditObject { id: id.clone(), name: name.into() });
        self
    }

    /// Records the fields of a new item.
    #[must_use]
    pub fn adding(self, after: Value) -> Self {
        self.changing(Value::Null, after)
    }

    /// Records the fields of a deleted item.
    #[must_use]
    pub fn removing(self, before: Value) -> Self {
        self.changing(before, Value::Null)
    }

    /// Records the fields that differ between two states of the item. Missing and null are the
    /// same.
    #[must_use]
    pub fn changing(mut self, before: Value, after: Value) -> Self {
        let (before, after) = (into_fields(before), into_fields(after));
        let differs = |one: &Map<String, Value>, other: &Map<String, Value>| {
            let differs =
                |(key, value): &(&String, &Value)| other.get(*key).unwrap_or(&Value::Null) != *value;
            one.iter().filter(differs).map(|(key, value)| (key.clone(), shortened(value))).collect::<Vec<_>>()
        };
        self.before.extend(differs(&before, &after));
        self.after.extend(differs(&after, &before));
        self
    }

    /// The stored text of the entry at its place in the log. The same text is exported and hashed.
    pub fn text(&self, seq: u64, at: Timestamp) -> String {
        let record = WriteRecord { seq, at: at.to_rfc3339(), entry: self };
        // The keys of all maps are text, so this cannot fail.
        serde_json::to_string(&record).unwrap_or_default()
    }
}

fn shortened(value: &Value) -> Value {
    let end = value.as_str().and_then(|text| text.char_indices().nth(MAX_FIELD_CHARS));
    match (value, end) {
        (Value::String(text), Some((end, _))) => Value::String(format!("{}…", &text[..end])),
        _ => value.clone(),
    }
}

fn into_fields(state: Value) -> Map<String, Value> {
    match state {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

#[derive(Serialize)]
struct WriteRecord<'a> {
    seq: u64,
    at: String,
    #[serde(flatten)]
    entry: &'a AuditEntry,
}

/// An entry at its place in the log of an owner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AuditRecord {
    /// The place: 1 for the owner's first entry.
    pub seq: u64,
    /// RFC 3339, in seconds.
    pub at: String,
    /// The change.
    #[serde(flatten)]
    pub entry: AuditEntry,
}

impl AuditRecord {
    /// Parses the stored text. Kinds and actors that a later version has added become unknown.
    /// `None`: it is not an entry.
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn origin() -> AuditOrigin {
        let actor = AuditActor {
            actor_type: ActorType::Token,
            id: Some(Id::from_text("t1")),
            name: Some("ci".to_owned()),
        };
        AuditOrigin { actor, request_id: Some("r1".to_owned()) }
    }

    #[test]
    fn the_text_of_an_entry_is_read_back() {
        let entry = origin()
            .entry(AuditKind::ReleaseUpdate)
            .of_app(&Id::from_text("a1"), &"notes".parse().unwrap())
            .of_release(&Id::from_text("r2"), &"2.0".parse().unwrap(), Some("beta"))
            .changing(
                json!({ "rollout": 10, "critical": false, "gone": 1, "same": [1], "none": null }),
                json!({ "rollout": 50, "critical": false, "new": "x", "same": [1] }),
            );
        let text = entry.text(7, Timestamp::from_millis(1_795_225_422_000));
        assert_eq!(
            text,
            r#"{"seq":7,"at":"2026-11-21T01:43:42+00:00","actor":{"type":"token","id":"t1","name":"ci"},"#
                .to_owned()
                + r#""request_id":"r1","kind":"release.update","app":"notes","app_id":"a1","channel":"beta","#
                + r#""release":{"id":"r2","version":"2.0"},"before":{"gone":1,"rollout":10},"after":{"new":"x","rollout":50}}"#
        );
        let read = AuditRecord::read(&text).unwrap();
        assert_eq!((read.seq, read.entry.kind), (7, AuditKind::ReleaseUpdate));
        assert_eq!(read.entry, entry);
    }

    #[test]
    fn entries_of_a_later_version_are_read() {
        let text = origin().entry(AuditKind::AppCreate).text(1, Timestamp::from_millis(0));
        let later = text.replace("app.create", "app.paint").replace("\"token\"", "\"robot\"");
        let AuditRecord { entry, .. } = AuditRecord::read(&later).unwrap();
        assert_eq!((entry.kind, entry.actor.actor_type), (AuditKind::Unknown, ActorType::Unknown));
        assert_eq!(entry.line(), "ci made a change that this version does not know");
        assert_eq!(AuditRecord::read("{"), None);
    }

    #[test]
    fn names_of_kinds_are_unique() {
        for kind in AuditKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(*kind));
        }
    }
}
