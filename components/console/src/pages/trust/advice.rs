//! The command to run next: `docs/trust.md` and `docs/cli.md`.

use maud::{Markup, html};
use spindrift_api::Waiting;
use spindrift_core::Timestamp;

use crate::parts;

/// A task, and the command for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Advice {
    pub(super) task: String,
    pub(super) command: String,
}

/// How many days before a root expires warnings begin, as in `spindrift trust status`.
const ROOT_DAYS: i64 = 180;
/// How many days before a list expires warnings begin.
const LIST_DAYS: i64 = 30;
const DAY_SECONDS: i64 = 86_400;

/// A command `spindrift trust ...` for an application. `flags` begin with a space, or are empty.
fn command(action: &str, app: &str, flags: &str) -> String {
    // Names contain letters, digits, spaces, `.`, `_` and `-`.
    let app = if app.contains(' ') { format!("\"{app}\"") } else { app.to_owned() };
    format!("spindrift trust {action} --app {app}{flags}")
}

/// The facts about a repository that determine the advice.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RepositoryFacts<'a> {
    pub(super) app: &'a str,
    pub(super) is_begun: bool,
    pub(super) state: Option<Waiting>,
    /// Roles that lack signatures.
    pub(super) waiting: &'a [String],
    /// Number of files that could be offered, but are not listed.
    pub(super) unlisted: u64,
    /// When root and targets expire, in RFC 3339. Empty: there is none.
    pub(super) root_ends: &'a str,
    pub(super) targets_end: &'a str,
    pub(super) is_signed_by_service: bool,
}

/// The next steps, most urgent first.
pub(super) fn advice(known: &RepositoryFacts<'_>, now: Timestamp) -> Vec<Advice> {
    let app = known.app;
    let new = |task: &str, action: &str, flags: &str| Advice {
        task: task.to_owned(),
        command: command(action, app, flags),
    };
    if !known.is_begun {
        let task = "There are no keys yet. Begin, logged in as the owner, in the folder of your project:";
        return vec![new(task, "init", "")];
    }
    let mut all = Vec::new();
    if !known.waiting.is_empty() {
        all.push(new(&format!("Signatures are missing from {}.", known.waiting.join(", ")), "sign", ""));
    } else if known.state == Some(Waiting::Waiting) {
        all.push(new("There is no list of files yet. Sign what is uploaded:", "sign", " --stored"));
    } else if known.unlisted > 0 && !known.is_signed_by_service {
        let files = parts::count(known.unlisted, "file");
        all.push(new(
            &format!("{files} published without being signed, and not offered."),
            "sign",
            " --stored",
        ));
    }
    if ends_within(known.root_ends, ROOT_DAYS, now) {
        all.push(new("The root ends soon. Sign it again:", "renew root", ""));
    }
    if ends_within(known.targets_end, LIST_DAYS, now) && !known.is_signed_by_service {
        all.push(new(
            "The list of files ends soon. Sign it again, or publish something:",
            "renew targets",
            "",
        ));
    }
    all
}

/// Whether something expires within `days`, or has expired.
pub(super) fn ends_within(end: &str, days: i64, now: Timestamp) -> bool {
    Timestamp::from_rfc3339(end).is_some_and(|end| end.as_seconds() - now.as_seconds() < days * DAY_SECONDS)
}

/// When a role expires, with a warning if that is soon.
pub(super) fn ending(role: &str, end: &str, now: Timestamp) -> Markup {
    let days = match role {
        "root" => ROOT_DAYS,
        // The service renews these long before they expire.
        "snapshot" | "timestamp" => 0,
        _ => LIST_DAYS,
    };
    html! {
        (parts::time(end))
        @if ends_within(end, 0, now) { " " (parts::badge("bad", "over")) }
        @else if ends_within(end, days, now) { " " (parts::badge("warn", "soon")) }
    }
}

pub(super) fn advice_list(all: &[Advice]) -> Markup {
    html! {
        @if !all.is_empty() {
            ul.warnings aria-label="Next steps" {
                @for one in all { li { (one.task) " " (parts::copyable(&one.command)) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(known: &RepositoryFacts<'_>) -> Vec<String> {
        let now = Timestamp::from_rfc3339("2026-11-22T00:00:00Z").unwrap();
        advice(known, now).into_iter().map(|one| one.command).collect()
    }

    #[test]
    fn there_is_a_command_for_everything() {
        let fresh = RepositoryFacts { app: "My Notes", ..RepositoryFacts::default() };
        assert_eq!(commands(&fresh), ["spindrift trust init --app \"My Notes\""]);
        let waiting = ["targets".to_owned()];
        let well = RepositoryFacts {
            app: "notes",
            is_begun: true,
            root_ends: "2027-11-22T00:00:00Z",
            targets_end: "2027-01-22T00:00:00Z",
            ..RepositoryFacts::default()
        };
        assert!(commands(&well).is_empty());
        for (known, command) in [
            (RepositoryFacts { waiting: &waiting, unlisted: 2, ..well }, "sign"),
            (RepositoryFacts { state: Some(Waiting::Waiting), ..well }, "sign|"),
            (RepositoryFacts { unlisted: 2, ..well }, "sign|"),
            (RepositoryFacts { root_ends: "2027-05-20T23:59:59Z", ..well }, "renew root"),
            (RepositoryFacts { targets_end: "2026-11-21T00:00:00Z", ..well }, "renew targets"),
        ] {
            let (action, flags) =
                command.split_once('|').map_or((command, ""), |(action, _)| (action, " --stored"));
            assert_eq!(commands(&known), [super::command(action, "notes", flags)], "{known:?}");
        }
        let online =
            RepositoryFacts { is_signed_by_service: true, targets_end: "2026-11-23T00:00:00Z", ..well };
        assert!(commands(&online).is_empty());
    }
}
