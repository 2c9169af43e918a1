//! The first line of a release's page: how far it is, who stopped it, and how many devices fail.

use maud::{Markup, html};
use spindrift_api::WithdrawalBody;
use spindrift_core::{BasisPoints, ReleaseState, RolloutState};

use super::FailureFigures;
use crate::parts;

/// The facts that the line is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Standing<'s> {
    pub(crate) visibility: ReleaseState,
    pub(crate) rollout: RolloutState,
    pub(crate) part: BasisPoints,
    /// When clients will see it.
    pub(crate) publish_at: Option<&'s str>,
    pub(crate) withdrawn: Option<&'s WithdrawalBody>,
    /// Its pause or halt, if that is known.
    pub(crate) stop: Option<&'s Stop>,
    /// `None`: failures are not counted.
    pub(crate) failures: Option<FailureFigures<'s>>,
    /// Why it may be worse than the figures say.
    pub(crate) doubt: Option<Doubt>,
}

/// Why a release may be worse than its present figures say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It was failing until somebody let it go on.
    WasFailing,
    /// Its failures cannot be read.
    Unreadable,
}

/// A pause or a halt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    /// "the guard", or who did it.
    pub(crate) by: String,
    /// RFC 3339.
    pub(crate) at: String,
}

impl Standing<'_> {
    fn is_failing(&self) -> bool {
        self.failures.is_some_and(|failures| failures.is_failing)
    }

    /// The CSS class of the page's colour. A release that is halted, fails or failed, or whose failures cannot be read, is never
    /// green.
    pub(crate) fn tone(&self) -> &'static str {
        match (self.visibility, self.rollout) {
            (ReleaseState::Draft | ReleaseState::Scheduled, _) => "still",
            (ReleaseState::Withdrawn, _) | (ReleaseState::Published, RolloutState::Halted) => "bad",
            (ReleaseState::Published, _) if self.is_failing() => "bad",
            (ReleaseState::Published, RolloutState::Paused) => "warn",
            (ReleaseState::Published, _) if self.doubt.is_some() => "warn",
            (ReleaseState::Published, RolloutState::Complete) => "good",
            (ReleaseState::Published, RolloutState::Fixed | RolloutState::Running) => "going",
        }
    }

    /// The line.
    pub(crate) fn line(&self) -> Markup {
        html! {
            @match self.visibility {
                ReleaseState::Draft => "Draft: nobody sees it",
                ReleaseState::Scheduled => {
                    "Scheduled: clients see it from "
                    @match self.publish_at { Some(at) => (parts::time(at)), None => "a later time" }
                }
                ReleaseState::Withdrawn => {
                    "Withdrawn"
                    @if let Some(withdrawn) = self.withdrawn { " " (parts::ago(&withdrawn.at)) ": " (withdrawn.reason) }
                }
                ReleaseState::Published => {
                    (self.part) " %" (self.progress())
                    @if let Some(failures) = &self.failures { ", " (failures.sentence()) }
                }
            }
        }
    }

    fn progress(&self) -> Markup {
        html! {
            @match self.rollout {
                RolloutState::Halted => { ", halted" (self.stopped()) },
                RolloutState::Paused => { ", paused" (self.stopped()) },
                RolloutState::Complete => ", complete",
                RolloutState::Running => " by plan",
                RolloutState::Fixed => " of devices",
            }
        }
    }

    fn stopped(&self) -> Markup {
        html! { @if let Some(Stop { by, at }) = self.stop { " by " (by) " " (parts::ago(at)) } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use spindrift_api::FailingRoundBody;

    use super::*;

    const AT: &str = "2026-12-01T09:00:00+00:00";

    fn round(k: u64) -> FailingRoundBody {
        let series = |k: u64| {
            let before = json!({ "k": 2, "n": 1000, "per_1000": 2.0 });
            json!({ "k": k, "n": 90, "per_1000": 1.0, "needed": 5.3, "baseline": before })
        };
        let round = json!({
            "since": AT, "at": AT, "verdict": "unknown", "why": "w", "devices": 90, "running": series(k),
            "updating": series(0),
        });
        serde_json::from_value(round).unwrap()
    }

    fn standing(visibility: ReleaseState, rollout: RolloutState) -> Standing<'static> {
        Standing {
            visibility,
            rollout,
            part: BasisPoints::from_percent(25),
            publish_at: Some(AT),
            withdrawn: None,
            stop: None,
            failures: None,
            doubt: None,
        }
    }

    fn published(rollout: RolloutState) -> Standing<'static> {
        standing(ReleaseState::Published, rollout)
    }

    #[test]
    fn the_state_is_one_line() {
        let (bad, good, ago) = (round(30), round(0), parts::ago(AT).into_string());
        let guard = Stop { by: "the guard".to_owned(), at: AT.to_owned() };
        let withdrawn = WithdrawalBody { at: AT.to_owned(), reason: "<b>".to_owned() };
        let failing = Some(FailureFigures::earlier(&bad));
        for (standing, line) in [
            (
                Standing { stop: Some(&guard), failures: failing, ..published(RolloutState::Halted) },
                format!("25 %, halted by the guard {ago}, 30 of 90 devices failed; 2 in 1,000 before"),
            ),
            (published(RolloutState::Halted), "25 %, halted".to_owned()),
            (
                Standing { stop: Some(&guard), ..published(RolloutState::Paused) },
                format!("25 %, paused by the guard {ago}"),
            ),
            (
                Standing {
                    failures: Some(FailureFigures::earlier(&good)),
                    ..published(RolloutState::Running)
                },
                "25 % by plan, no failures on 90 devices".to_owned(),
            ),
            (published(RolloutState::Fixed), "25 % of devices".to_owned()),
            (
                Standing { part: BasisPoints::ALL, failures: failing, ..published(RolloutState::Complete) },
                "100 %, complete, 30 of 90 devices failed; 2 in 1,000 before".to_owned(),
            ),
            (
                Standing { failures: failing, ..standing(ReleaseState::Draft, RolloutState::Halted) },
                "Draft: nobody sees it".to_owned(),
            ),
            (
                standing(ReleaseState::Scheduled, RolloutState::Fixed),
                format!("Scheduled: clients see it from {}", parts::time(AT).into_string()),
            ),
            (
                Standing {
                    withdrawn: Some(&withdrawn),
                    ..standing(ReleaseState::Withdrawn, RolloutState::Complete)
                },
                format!("Withdrawn {ago}: &lt;b&gt;"),
            ),
        ] {
            assert_eq!(standing.line().into_string(), line);
        }
    }

    #[test]
    fn only_a_release_without_failures_is_green() {
        let (bad, good) = (round(30), round(0));
        let (bad, good) = (FailureFigures::earlier(&bad), FailureFigures::earlier(&good));
        let good = FailureFigures { is_failing: false, ..good };
        for rollout in [
            RolloutState::Fixed,
            RolloutState::Running,
            RolloutState::Paused,
            RolloutState::Halted,
            RolloutState::Complete,
        ] {
            let tone = |failures, doubt| Standing { failures, doubt, ..published(rollout) }.tone();
            assert_eq!(tone(Some(bad), None), "bad", "{rollout:?}");
            assert_eq!(tone(Some(bad), Some(Doubt::WasFailing)), "bad", "{rollout:?}");
            assert_ne!(tone(Some(good), Some(Doubt::WasFailing)), "good", "{rollout:?}");
            let is_green = tone(Some(good), None) == "good";
            assert_eq!(is_green, rollout == RolloutState::Complete, "{rollout:?}");
        }
        assert_eq!(published(RolloutState::Halted).tone(), "bad");
        let unreadable = Standing { doubt: Some(Doubt::Unreadable), ..published(RolloutState::Complete) };
        assert_eq!(unreadable.tone(), "warn");
    }
}
