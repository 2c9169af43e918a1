//! The state of a release, in the same words on every page.

mod caution;
mod figures;
mod standing;

use maud::{Markup, html};
use spindrift_api::ReleaseEntry;
use spindrift_core::{ReleaseState, RolloutState};

pub(crate) use self::caution::{Caution, caution, widens};
pub(crate) use self::figures::{FailureFigures, decimal};
pub(crate) use self::standing::{Doubt, Standing, Stop};
use crate::{parts, rollout};

/// Parses the state in an answer. `None`: a state of a later version.
pub(crate) fn parse(word: &str) -> Option<ReleaseState> {
    use ReleaseState::{Draft, Published, Scheduled, Withdrawn};
    [Draft, Scheduled, Published, Withdrawn].into_iter().find(|state| state.as_str() == word)
}

/// The badge of a release in a list.
pub(crate) fn badge(release: &ReleaseEntry) -> Markup {
    let by_flag = if release.published { ReleaseState::Published } else { ReleaseState::Draft };
    let is_halted = rollout::state(&release.rollout_state) == RolloutState::Halted;
    html! {
        @match parse(&release.state).unwrap_or(by_flag) {
            ReleaseState::Draft => (parts::badge("", "draft")),
            ReleaseState::Published => (parts::badge(if is_halted { "" } else { "good" }, "published")),
            ReleaseState::Withdrawn => (parts::badge("bad", "withdrawn")),
            ReleaseState::Scheduled => {
                (parts::badge("warn", "scheduled"))
                @if let Some(at) = &release.publish_at { " " (parts::time(at)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::badge as of;

    #[test]
    fn a_badge_says_whether_clients_see_a_release() {
        let badge = |state: &str, is_published: bool, publish_at: Option<&str>| {
            let release = serde_json::json!({
                "ID": "1", "AppName": "notes", "Version": "2.0", "Channel": "", "Published": is_published,
                "Critical": false, "Intermediate": false, "Artifacts": [], "Changelog": [], "Created_at": "t",
                "Updated_at": "t", "RolloutPercent": 100, "RolloutState": "complete", "BasisPoints": 10_000, "Revision": 1, "RolloutSeed": "", "State": state,
                "PublishAt": publish_at,
            });
            of(&serde_json::from_value(release).unwrap()).into_string()
        };
        let at = "2026-12-01T09:00:00+00:00";
        let scheduled = format!(
            "<span class=\"badge warn\">scheduled</span> <time datetime=\"{at}\" title=\"{at}\">2026-12-01 \
             09:00 UTC</time>"
        );
        assert_eq!(badge("scheduled", false, Some(at)), scheduled);
        for (state, is_published, shown) in [
            ("draft", false, "<span class=\"badge \">draft</span>"),
            ("published", true, "<span class=\"badge good\">published</span>"),
            ("withdrawn", false, "<span class=\"badge bad\">withdrawn</span>"),
            ("of_tomorrow", true, "<span class=\"badge good\">published</span>"),
        ] {
            assert_eq!(badge(state, is_published, None), shown, "{state}");
        }
    }
}
