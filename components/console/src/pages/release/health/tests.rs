use serde_json::{Value, json};

use super::*;

const SINCE: &str = "2026-11-21T01:43:42+00:00";
const AT: &str = "2026-11-22T01:43:42+00:00";

fn minutes_after(time: &str, minutes: i64) -> Timestamp {
    Timestamp::from_rfc3339(time).unwrap().plus_seconds(60 * minutes)
}

/// Failures in 300 device-days. `k`: the number for running copies.
fn found(verdict: &str, k: u64, guard: &Value) -> ReleaseHealthBody {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let rate = k as f64 / 0.3;
    serde_json::from_value(json!({
        "since": SINCE, "at": AT, "verdict": verdict, "why": "<b>why</b>.", "guard": guard, "devices": 12,
        "running": {
            "k": k, "n": 300, "per_1000": rate, "needed": 5.3,
            "baseline": { "version": "1.0.0", "k": 2, "n": 1000, "per_1000": 2.0 },
        },
        "updating": { "k": 0, "n": 0, "per_1000": null, "needed": 5.3 }, "causes": [],
    }))
    .unwrap()
}

fn not_looked(guard: &Value) -> ReleaseHealthBody {
    let mut body = found("unknown", 0, guard);
    (body.at, body.running.n) = (None, 0);
    body
}

fn pause() -> Value {
    json!({ "on_unhealthy": "pause" })
}

fn offer(state: &str) -> OfferBody {
    let rollout =
        json!({ "state": state, "percent": if state == "complete" { 100 } else { 5 }, "seed": "s" });
    let offer = json!({
        "channel": "", "own": true, "state": "published", "revision": 1, "offered_at": SINCE, "rollout": rollout,
    });
    serde_json::from_value(offer).unwrap()
}

fn shown_at(now: Timestamp, state: &str, body: &ReleaseHealthBody) -> Option<String> {
    let halt = html! { button { "Halt" } };
    let id = Id::from_text("1".to_owned());
    let health = HealthSection::of((&id, "2.0.0"), &offer(state), body, now);
    health.map(|health| health.show(Some(&halt)).into_string())
}

fn shown(state: &str, body: &ReleaseHealthBody) -> String {
    shown_at(minutes_after(AT, 5), state, body).unwrap()
}

#[test]
fn an_unhealthy_release_has_a_banner_with_figures() {
    let page = shown("running", &found("unhealthy", 12, &Value::Null));
    let since = parts::time(SINCE).into_string();
    for part in [
        "<section class=\"alarm\" aria-label=\"Health\">",
        "<strong>2.0.0 is unhealthy</strong>",
        "&lt;b&gt;why&lt;/b&gt;.",
        &format!("12 devices crashed or did not start in 300 device-days since {since}: 40 in 1000."),
        "Before, with 1.0.0: 2 in 1000.",
        "<button>Halt</button>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("failed to update"), "{page}");
    let halted = shown("halted", &found("unhealthy", 12, &Value::Null));
    assert!(halted.contains("It is halted") && !halted.contains("<button"), "{halted}");
}

#[test]
fn failures_are_told_without_devices_to_compare_them_with() {
    let mut body = found("unhealthy", 4, &Value::Null);
    (body.running.n, body.running.baseline) = (4, None);
    body.updating.k = 1;
    let page = shown("running", &body);
    assert!(page.contains("<li>4 devices crashed or did not start since <time"), "{page}");
    assert!(page.contains("<li>1 device failed to update to it since <time"), "{page}");
    assert!(!page.contains("device-day") && !page.contains("in 1000"), "{page}");
}

#[test]
fn a_verdict_that_is_no_alarm_is_quiet() {
    let allowed = |max: f64| json!({ "on_unhealthy": "halt", "max_per_1000": max });
    for (verdict, k, guard, begins) in [
        ("healthy", 1, Value::Null, "<p class=\"hint\">Healthy. "),
        ("unknown", 0, Value::Null, "<p class=\"hint\">It is not known yet whether it is healthy. "),
        ("unknown", 3, Value::Null, "<section class=\"warning\""),
        ("unknown", 3, allowed(10.0), "<p class=\"hint\">"),
        ("unknown", 3, allowed(9.5), "<section class=\"warning\""),
    ] {
        let page = shown("running", &found(verdict, k, &guard));
        assert!(page.starts_with(begins), "{verdict} {k}: {page}");
        assert!(page.contains("&lt;b&gt;why&lt;/b&gt;.") && !page.contains("<button"), "{page}");
    }
}

#[test]
fn a_guard_without_runs_is_told() {
    let text = |now, body: &ReleaseHealthBody| {
        let page = shown_at(now, "running", body).unwrap();
        page.split("No guard run has looked at it ")
            .nth(1)
            .map(|rest| rest.split("</p>").next().unwrap().to_owned())
    };
    let (stale, never) = (found("healthy", 1, &pause()), not_looked(&pause()));
    assert_eq!(text(minutes_after(AT, 60), &stale), None);
    assert_eq!(
        text(minutes_after(AT, 61), &stale).as_deref(),
        Some("for more than an hour: its guard stops nothing.")
    );
    assert_eq!(text(minutes_after(SINCE, 60), &never).as_deref(), Some("yet."));
    assert_eq!(text(minutes_after(SINCE, 61), &never).as_deref(), Some("yet: its guard stops nothing."));
    let unguarded = shown_at(minutes_after(SINCE, 61), "running", &not_looked(&Value::Null));
    assert_eq!(unguarded.as_deref(), Some(""));
}

#[test]
fn nothing_is_told_of_a_release_that_is_not_under_way() {
    let body = found("unhealthy", 12, &pause());
    let days = |days: i64| minutes_after(SINCE, days * 24 * 60);
    for (state, now, is_shown) in [
        ("complete", days(14).plus_seconds(-1), true),
        ("complete", days(14), false),
        ("halted", days(14), true),
        ("running", days(28), false),
    ] {
        assert_eq!(shown_at(now, state, &body).is_some(), is_shown, "{state}");
    }
    let hidden = ReleaseHealthBody { since: None, ..body };
    assert_eq!(shown_at(days(1), "running", &hidden), None);
}
