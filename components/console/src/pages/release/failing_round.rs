//! The mark of a release that was failing until somebody let it go on.

use maud::{Markup, html};
use spindrift_api::ReleaseHealthBody;

use crate::pages::history::actor_phrase;
use crate::parts;
use crate::release_state::FailureFigures;

/// Empty if it never failed.
pub(super) fn mark(health: &ReleaseHealthBody) -> Markup {
    html! {
        @if let Some(round) = &health.failing_round {
            @let figures = FailureFigures::earlier(round);
            section.warning.mark aria-label="Before it went on" {
                p {
                    strong {
                        @if figures.word() == "unhealthy" { "Unhealthy until " } @else { "Failing until " }
                        @match &round.ended_by {
                            Some(by) => { "resumed by " (actor_phrase(by)) },
                            None => "it went on",
                        }
                        @if let Some(since) = &health.since { " " (parts::time(since)) }
                    }
                    ": " (figures.sentence()) "."
                    @if let Some(reason) = &round.reason { " Reason: " (reason) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_resumed_release_says_who_resumed_it_and_what_was_known() {
        let series = |k: u64| json!({ "k": k, "n": 90, "per_1000": 1.0, "needed": 5.3 });
        let ada = json!({ "type": "user", "name": "ada" });
        for (verdict, by, begins) in [
            ("unhealthy", ada.clone(), "Unhealthy until resumed by ada <time datetime=\"then\""),
            ("unknown", ada, "Failing until resumed by ada <time"),
            ("unhealthy", json!(null), "Unhealthy until it went on <time"),
        ] {
            let body = json!({
                "since": "then", "verdict": "unknown", "why": "w", "devices": 0, "running": series(0),
                "updating": series(0), "causes": [],
                "failing_round": {
                    "since": "s", "at": "a", "verdict": verdict, "why": "w", "devices": 90, "running": series(30),
                    "updating": series(0), "ended_by": by, "reason": "<fixed>",
                },
            });
            let page = mark(&serde_json::from_value(body).unwrap()).into_string();
            for part in [begins, ": 30 of 90 devices failed.", "Reason: &lt;fixed&gt;"] {
                assert!(page.contains(part), "{part}: {page}");
            }
        }
    }
}
