//! The English line of an entry.

use serde_json::{Map, Value};

use super::entry::{ActorType, AuditActor, AuditEntry};
use crate::one_line;

/// Maximum length of a value in a line, in characters. The entry has the whole value.
const MAX_VALUE_CHARS: usize = 60;

impl AuditEntry {
    /// The entry as a sentence on one line, without a full stop, for lists, webhooks and logs.
    pub fn line(&self) -> String {
        let predicate = self.kind.predicate();
        let predicate = predicate.replace("{app}", self.app.as_deref().unwrap_or("an application"));
        let predicate = predicate.replace("{release}", &self.release_name());
        let object = self.object.as_ref().map_or("it", |object| object.name.as_str());
        let mut line = format!("{} {}", self.actor, predicate.replace("{object}", object));
        let changes = changes(&self.before, &self.after);
        if !changes.is_empty() {
            line.push_str(": ");
            line.push_str(&changes);
        }
        if let Some(reason) = &self.reason {
            line.push_str(" (");
            line.push_str(reason);
            line.push(')');
        }
        // Values such as release notes may contain line breaks.
        one_line(&line)
    }

    fn release_name(&self) -> String {
        let app = self.app.as_deref().unwrap_or("a release");
        let version = self.release.as_ref().map_or("", |release| release.version.as_str());
        let name = format!("{app} {version}");
        let name = name.trim_end();
        match &self.channel {
            Some(channel) => format!("{name} in {channel}"),
            None => name.to_owned(),
        }
    }
}

impl std::fmt::Display for AuditActor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = self.name.as_deref().unwrap_or("unknown");
        match self.actor_type {
            ActorType::User | ActorType::Unknown => f.write_str(name),
            ActorType::Token => write!(f, "the token {name}"),
            ActorType::Publisher => write!(f, "the job {name}"),
            ActorType::Webhook => write!(f, "the webhook {name}"),
            ActorType::Maintenance => f.write_str("maintenance"),
            ActorType::Clock => f.write_str("the clock"),
        }
    }
}

/// The fields of a change. For a new or deleted item, omits the name and uninformative values.
fn changes(before: &Map<String, Value>, after: &Map<String, Value>) -> String {
    let is_whole = before.is_empty() || after.is_empty();
    let is_told = |(key, value): &(&String, &Value)| !is_whole || (*key != "name" && is_telling(value));
    let gone = before.iter().filter(is_told).filter(|(key, _)| !after.contains_key(*key));
    let gone = gone.map(|(key, old)| {
        let verb = if old.is_array() { "were" } else { "was" };
        format!("{key} {verb} {}", value(old))
    });
    let changed = after.iter().filter(is_told).map(|(key, new)| match before.get(key) {
        _ if new.is_object() => format!("{key} changed"),
        Some(old) => format!("{key} from {} to {}", value(old), value(new)),
        None => format!("{key} {}", value(new)),
    });
    changed.chain(gone).collect::<Vec<_>>().join(", ")
}

fn is_telling(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Object(_) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(all) => !all.is_empty() && all.iter().all(Value::is_string),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

fn value(value: &Value) -> String {
    let text = match value {
        Value::Null => "nothing".to_owned(),
        Value::String(text) if text.is_empty() => "nothing".to_owned(),
        Value::String(text) => text.clone(),
        Value::Bool(is_on) => if *is_on { "yes" } else { "no" }.to_owned(),
        Value::Array(all) if all.is_empty() => "none".to_owned(),
        Value::Array(all) if all.iter().all(Value::is_string) => {
            all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    };
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::Id;
    use crate::audit::{ActorType, AuditActor, AuditEntry, AuditKind, AuditOrigin};

    fn by(actor_type: ActorType, kind: AuditKind) -> AuditEntry {
        let name = matches!(actor_type, ActorType::User | ActorType::Token | ActorType::Webhook)
            .then(|| "ann".to_owned());
        AuditOrigin { actor: AuditActor { actor_type, id: None, name }, request_id: None }.entry(kind)
    }

    #[test]
    fn entries_are_told_in_english() {
        let app = (Id::from_text("1"), "notes".parse().unwrap());
        let (release, version) = (Id::from_text("2"), "2.0".parse().unwrap());
        let update = by(ActorType::User, AuditKind::ReleaseUpdate)
            .of_app(&app.0, &app.1)
            .of_release(&release, &version, Some("beta"))
            .changing(
                json!({ "rollout": 10, "critical": false, "changelog": "x" }),
                json!({ "rollout": 50, "critical": true, "changelog": "y".repeat(80) }),
            );
        let long = "y".repeat(60);
        for (entry, line) in [
            (
                update,
                format!(
                    "ann changed notes 2.0 in beta: changelog from x to {long}…, critical from no to yes, rollout from 10 to 50"
                ),
            ),
            (
                by(ActorType::Token, AuditKind::ReleaseCreate)
                    .of_app(&app.0, &app.1)
                    .of_release(&release, &version, None)
                    .adding(json!({ "files": ["a.zip", "b.zip"], "critical": false, "rollout": 10 })),
                "the token ann uploaded notes 2.0: files a.zip b.zip, rollout 10".to_owned(),
            ),
            (
                AuditEntry {
                    reason: Some("left the company".to_owned()),
                    ..by(ActorType::User, AuditKind::UserDelete).of_object(&Id::from_text("3"), "bob")
                },
                "ann deleted the user bob (left the company)".to_owned(),
            ),
            (
                by(ActorType::Maintenance, AuditKind::TrustExpire).of_app(&app.0, &app.1),
                "maintenance dropped metadata of notes that lacked signatures for too long".to_owned(),
            ),
            (
                by(ActorType::User, AuditKind::UserUpdate)
                    .of_object(&Id::from_text("3"), "bob")
                    .changing(json!({ "permissions": { "a": 1 } }), json!({ "permissions": { "a": 2 } })),
                "ann changed the user bob: permissions changed".to_owned(),
            ),
            (by(ActorType::User, AuditKind::AdminCreate), "ann signed up".to_owned()),
            (
                by(ActorType::Webhook, AuditKind::RolloutHalt)
                    .of_app(&app.0, &app.1)
                    .of_release(&release, &version, Some("beta"))
                    .with_reason(Some("by link".to_owned())),
                "the webhook ann halted the rollout of notes 2.0 in beta (by link)".to_owned(),
            ),
            (
                by(ActorType::User, AuditKind::ReleaseUpdate)
                    .of_app(&app.0, &app.1)
                    .adding(json!({ "changelog": "new:\r\n\u{202e}a" }))
                    .with_reason(Some("late\nbob agreed".to_owned())),
                "ann changed notes: changelog new: a (late bob agreed)".to_owned(),
            ),
        ] {
            assert_eq!(entry.line(), line);
        }
    }
}
