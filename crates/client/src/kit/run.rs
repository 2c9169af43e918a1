//! A run of the application, and the way in which it ended.

use serde::{Deserialize, Serialize};
use spindrift_core::{EventType, Reason, Version};

/// The version that failed, and how.
pub(super) type KitFailure = (String, EventType, Reason);

/// A run that has begun. A kept one that no process has any more did not end as it should.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Run {
    version: String,
    /// `None`: the application does not say it.
    pub(super) has_started: Option<bool>,
}

impl Run {
    pub(super) fn new(version: &str, says_when_started: bool) -> Self {
        Self { version: version.to_owned(), has_started: says_when_started.then_some(false) }
    }

    /// The failure that ended the run.
    pub(super) fn failure(self) -> Option<KitFailure> {
        let (event, reason) = match self.has_started {
            Some(false) => (EventType::StartupFailure, "exit.before_started"),
            Some(true) | None => (EventType::Crash, "exit.unclean"),
        };
        Some((self.version, event, reason.parse().ok()?))
    }
}

/// The failure that the copy reports if it went back from `last` to `now`. Versions that cannot be read are not
/// compared.
pub(super) fn rollback(last: &str, now: &str) -> Option<KitFailure> {
    let is_older = now.parse::<Version>().ok()? < last.parse::<Version>().ok()?;
    let reason: String = format!("from.{last}").replace(|c: char| !is_of_reason(c), "_");
    is_older.then_some((now.to_owned(), EventType::RollbackFailure, reason.parse().ok()?))
}

/// Whether a reason may contain the character.
fn is_of_reason(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kind_of_a_failure_depends_on_the_start() {
        for (says, has_started, event) in [
            (true, Some(false), EventType::StartupFailure),
            (true, Some(true), EventType::Crash),
            (false, None, EventType::Crash),
        ] {
            let mut run = Run::new("2.0.0", says);
            run.has_started = has_started;
            let (version, found, _) = run.failure().unwrap();
            assert_eq!((version.as_str(), found), ("2.0.0", event));
        }
    }

    #[test]
    fn only_an_older_version_is_a_rollback() {
        for (last, now, expected) in [
            ("2.0.0", "1.9.0", Some("from.2.0.0")),
            ("2.0.0+7", "1.9.0", Some("from.2.0.0_7")),
            ("1.9.0", "2.0.0", None),
            ("2.0", "2.0.0", None),
            ("10.0", "9.0", Some("from.10.0")),
            ("", "1.0.0", None),
            ("2.0.0", "", None),
        ] {
            let found = rollback(last, now);
            let reason = found.as_ref().map(|(_, _, reason)| reason.as_str());
            assert_eq!(reason, expected, "{last} {now}");
            assert!(found.is_none_or(|(version, ..)| version == now), "the running version reports it");
        }
    }
}
