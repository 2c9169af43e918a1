//! When the console asks before more devices get a release.

use spindrift_api::{ReleaseHealthBody, RolloutActionBody, RolloutActionName, VerdictName};
use spindrift_core::{BasisPoints, RolloutState};

/// Why somebody is asked before more devices get a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caution {
    /// It fails.
    Fails,
    /// It failed until somebody let it go on.
    Failed,
}

/// `None`: nothing is known against the release.
pub(crate) fn caution(health: &ReleaseHealthBody) -> Option<Caution> {
    let is_failing = health.now.as_ref().is_some_and(|now| now.failing);
    if is_failing || health.verdict == VerdictName::Unhealthy {
        return Some(Caution::Fails);
    }
    health.failing_round.as_ref().map(|_| Caution::Failed)
}

/// Whether more devices get a visible release because of an order. During a halt, only resuming lets any have it.
pub(crate) fn widens(order: &RolloutActionBody, state: RolloutState, part: BasisPoints) -> bool {
    let is_halted = state == RolloutState::Halted;
    match order.action {
        RolloutActionName::Resume => true,
        RolloutActionName::Set => {
            let percent = order.percent.as_ref().and_then(BasisPoints::from_json);
            !is_halted && percent.is_some_and(|percent| percent > part)
        }
        RolloutActionName::Start | RolloutActionName::Advance | RolloutActionName::Complete => {
            !is_halted && !part.is_all()
        }
        RolloutActionName::Pause | RolloutActionName::Halt => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn health(verdict: &str, failing: Option<bool>, has_failed: bool) -> ReleaseHealthBody {
        let series = json!({ "k": 0, "n": 0, "per_1000": null, "needed": 5.3 });
        let figures = json!({
            "verdict": verdict, "why": "w", "devices": 0, "running": series, "updating": series, "causes": [],
            "days": [], "since": "s", "at": "a",
        });
        let with = |name: &str, value: Value| {
            let mut figures = figures.clone();
            figures[name] = value;
            figures
        };
        let mut body = figures.clone();
        body["now"] = failing.map_or(Value::Null, |failing| with("failing", failing.into()));
        body["failing_round"] = if has_failed { figures.clone() } else { Value::Null };
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn somebody_is_asked_about_releases_that_fail_or_failed() {
        for (verdict, failing, has_failed, expected) in [
            ("healthy", Some(false), false, None),
            ("unknown", None, false, None),
            ("unknown", Some(true), false, Some(Caution::Fails)),
            ("unhealthy", Some(false), false, Some(Caution::Fails)),
            ("unhealthy", None, false, Some(Caution::Fails)),
            ("healthy", Some(false), true, Some(Caution::Failed)),
            ("unknown", Some(true), true, Some(Caution::Fails)),
        ] {
            assert_eq!(caution(&health(verdict, failing, has_failed)), expected, "{verdict} {failing:?}");
        }
    }

    #[test]
    fn only_orders_that_let_more_devices_in_are_asked_about() {
        use RolloutState::{Complete, Fixed, Halted, Paused, Running};
        for (order, state, expected) in [
            (json!({ "action": "resume" }), Paused, true),
            (json!({ "action": "resume" }), Halted, true),
            (json!({ "action": "set", "percent": 50 }), Fixed, true),
            (json!({ "action": "set", "percent": 25 }), Paused, false),
            (json!({ "action": "set", "percent": 5 }), Running, false),
            (json!({ "action": "set", "percent": 50 }), Halted, false),
            (json!({ "action": "complete" }), Running, true),
            (json!({ "action": "advance" }), Paused, true),
            (json!({ "action": "start", "plan": [] }), Fixed, true),
            (json!({ "action": "start", "plan": [] }), Halted, false),
            (json!({ "action": "pause" }), Running, false),
            (json!({ "action": "halt" }), Running, false),
        ] {
            let found =
                widens(&serde_json::from_value(order.clone()).unwrap(), state, BasisPoints::from_percent(25));
            assert_eq!(found, expected, "{order} while {state:?}");
        }
        let complete = serde_json::from_value(json!({ "action": "complete" })).unwrap();
        assert!(!widens(&complete, Complete, BasisPoints::ALL), "nobody is left");
    }
}
