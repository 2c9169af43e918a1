//! The kinds of entries that are sent to a webhook.

use crate::audit::AuditKind;
use crate::quoted;

/// Maximum number of kinds and prefixes of a webhook.
pub const MAX_WEBHOOK_KINDS: usize = 50;

/// The list names an unknown kind, or is too long.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid kinds: {0}")]
pub struct InvalidWebhookKinds(String);

/// Kinds such as `rollout.halt`, prefixes such as `health.*`, or `*` for all kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookKinds(Vec<String>);

impl WebhookKinds {
    /// Parses a list. Each text must match an existing kind.
    pub fn parse(kinds: Vec<String>) -> Result<Self, InvalidWebhookKinds> {
        if !(1..=MAX_WEBHOOK_KINDS).contains(&kinds.len()) {
            let count = kinds.len();
            return Err(InvalidWebhookKinds(format!("a list of 1 to {MAX_WEBHOOK_KINDS}, not of {count}")));
        }
        let unknown = kinds.iter().find(|kind| *kind != ALL && AuditKind::matching(kind).next().is_none());
        match unknown {
            Some(unknown) => Err(InvalidWebhookKinds(format!("{KIND}, not {}", quoted(unknown)))),
            None => Ok(Self(kinds)),
        }
    }

    /// The list, for the database.
    pub fn as_list(&self) -> &[String] {
        &self.0
    }

    /// A list that was validated before it was stored.
    pub const fn from_list(kinds: Vec<String>) -> Self {
        Self(kinds)
    }

    /// Whether entries of this kind are sent. `kind`: as in the entry; a later version may have
    /// added it.
    pub fn have(&self, kind: &str) -> bool {
        self.0.iter().any(|pattern| pattern == ALL || AuditKind::matches_pattern(pattern, kind))
    }
}

/// The rule for a kind.
const KIND: &str =
    "a kind of entry like rollout.halt, all of a thing like health.*, or * (docs/audit.md has the list)";

/// All kinds.
const ALL: &str = "*";

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(kinds: &[&str]) -> Result<WebhookKinds, String> {
        let kinds = kinds.iter().map(|kind| (*kind).to_owned()).collect();
        WebhookKinds::parse(kinds).map_err(|error| error.to_string())
    }

    #[test]
    fn kinds_are_named_or_begin_with_a_thing() {
        let some = parse(&["rollout.*", "release.publish"]).unwrap();
        for (kind, is_sent) in [
            ("rollout.halt", true),
            ("rollout.of_a_later_version", true),
            ("release.publish", true),
            ("release.publish_later", false),
            ("release.delete", false),
        ] {
            assert_eq!(some.have(kind), is_sent, "{kind}");
        }
        assert!(parse(&["*"]).unwrap().have("anything.else"));
    }

    #[test]
    fn lists_that_name_nothing_are_refused() {
        for (kinds, error) in [
            (&[][..], "a list of 1 to 50, not of 0".to_owned()),
            (&["rollout"], format!("{KIND}, not \"rollout\"")),
            (&["rollout.*", "nothing.*"], format!("{KIND}, not \"nothing.*\"")),
            (&["r*"], format!("{KIND}, not \"r*\"")),
            (&["*"; 51], "a list of 1 to 50, not of 51".to_owned()),
        ] {
            assert_eq!(parse(kinds).map(|_| ()), Err(format!("invalid kinds: {error}")));
        }
    }
}
