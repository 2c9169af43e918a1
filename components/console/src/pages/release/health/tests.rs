use serde_json::{Value, json};
use spindrift_api::FailingRoundBody;

use super::*;

const SINCE: &str = "2026-11-21T01:43:42+00:00";
const AT: &str = "2026-11-22T01:43:42+00:00";

fn entry(kind: &str, channel: &str, by: &str, reason: &str) -> Value {
    json!({
        "seq": 1, "at": AT, "actor": { "type": "user", "id": "1", "name": by }, "kind": kind, "channel": channel,
        "reason": reason, "text": "t", "hash": "00",
    })
}

#[test]
fn a_stop_is_the_latest_of_its_kind_and_channel() {
    let items = json!([
        entry("rollout.set", "stable", "eve", "x"),
        entry("rollout.halt", "beta", "bob", "x"),
        entry("rollout.halt", "stable", "cron", "The guard found it unhealthy. 4 devices failed."),
        entry("rollout.halt", "stable", "ada", "it crashes"),
        entry("rollout.pause", "stable", "ada", "it crashes"),
    ]);
    let items: Vec<AuditItem> = serde_json::from_value(items).unwrap();
    let by = |channel: &str, state| stop(&items, channel, state).map(|stop| (stop.by, stop.at));
    for (channel, state, expected) in [
        ("stable", RolloutState::Halted, Some("the guard")),
        ("stable", RolloutState::Paused, Some("ada")),
        ("beta", RolloutState::Halted, Some("bob")),
        ("beta", RolloutState::Paused, None),
        ("stable", RolloutState::Running, None),
    ] {
        assert_eq!(
            by(channel, state),
            expected.map(|by| (by.to_owned(), AT.to_owned())),
            "{channel} {state:?}"
        );
    }
}

fn round(running: &Value, updating: &Value) -> FailingRoundBody {
    let round = json!({
        "since": SINCE, "at": AT, "verdict": "unhealthy", "why": "w", "devices": 90, "running": running,
        "updating": updating,
    });
    serde_json::from_value(round).unwrap()
}

#[test]
fn figures_are_compared_with_those_before() {
    let before = json!({ "version": "<1.0>", "k": 2, "n": 1000, "per_1000": 2.0 });
    let running = json!({ "k": 12, "n": 300, "per_1000": 40.0, "needed": 5.3, "baseline": before });
    let round = round(&running, &json!({ "k": 1, "n": 1, "per_1000": 1000.0, "needed": 5.3 }));
    let page = figures_list(&FailureFigures::earlier(&round)).into_string();
    let since = parts::time(SINCE).into_string();
    for part in [
        format!("<li>12 devices crashed or did not start in 300 device-days since {since}: 40 in 1,000."),
        "Before, with &lt;1.0&gt;: 2 in 1,000.</li>".to_owned(),
        format!("<li>1 device failed to update to it since {since}.</li>"),
    ] {
        assert!(page.contains(&part), "{part}: {page}");
    }
}
