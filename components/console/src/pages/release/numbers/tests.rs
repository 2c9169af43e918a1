use serde_json::{Value, json};
use spindrift_api::ReleaseBody;

use super::*;

const SINCE: &str = "2026-11-21T01:43:42+00:00";
const AT: &str = "2026-11-22T01:43:42+00:00";

fn minutes_after(time: &str, minutes: i64) -> Timestamp {
    Timestamp::from_rfc3339(time).unwrap().plus_seconds(60 * minutes)
}

fn app(reports: bool) -> AppEntry {
    serde_json::from_value(json!({
        "ID": "1", "AppName": "notes", "Logo": "", "Private": false, "Tuf": false, "signed": false,
        "Reports": reports, "CdnEdge": false, "download_mode": "login", "Description": "", "Owner": "acme",
        "get_page": false, "get_page_color": "",
        "Updated_at": "t",
    }))
    .unwrap()
}

fn release(rollout: &str, guard: &Value) -> ReleaseBody {
    let percent = if rollout == "complete" { 100 } else { 25 };
    serde_json::from_value(json!({
        "id": "1", "app": "notes", "version": "2.0", "shut_off": false,
        "offers": [{
            "channel": "stable", "own": true, "state": "published", "revision": 1, "guard": guard,
            "rollout": { "state": rollout, "percent": percent, "seed": "s" },
        }],
    }))
    .unwrap()
}

/// `at`: of the last guard run.
fn health(verdict: &str, is_failing: bool, at: Option<&str>) -> ReleaseHealthBody {
    let before = json!({ "version": "1.0", "k": 2, "n": 1000, "per_1000": 2.0 });
    let running = json!({ "k": 30, "n": 90, "per_1000": 333.3, "needed": 5.3, "baseline": before });
    let updating = json!({ "k": 2, "n": 90, "per_1000": 22.2, "needed": 5.3 });
    let now = json!({
        "verdict": verdict, "why": "<b>why</b>.", "failing": is_failing, "devices": 90, "running": running,
        "updating": updating, "causes": [], "days": [],
    });
    serde_json::from_value(json!({
        "since": SINCE, "at": at, "verdict": "unknown", "why": "w", "devices": 0, "running": updating,
        "updating": updating, "causes": [], "now": now,
    }))
    .unwrap()
}

fn shown_at(
    now: Timestamp,
    release: &ReleaseBody,
    health: Option<&ReleaseHealthBody>,
    app: &AppEntry,
) -> String {
    let offered = OfferView::of(release, &release.offers[0], 360);
    let devices = Devices { all: 360, on_this: 90, downloads: Vec::new() };
    Numbers { offered: &offered, devices: &devices, health, app, now }.show().into_string()
}

fn shown(rollout: &str, guard: &Value, health: &ReleaseHealthBody) -> String {
    shown_at(minutes_after(AT, 5), &release(rollout, guard), Some(health), &app(true))
}

#[test]
fn failing_devices_are_told_without_a_guard_run() {
    let page = shown("running", &Value::Null, &health("unknown", true, None));
    for part in [
        "<dt>Failing devices now</dt><dd class=\"bad\">30 of 90</dd>",
        "2 in 1,000 before, with 1.0",
        "2 devices failed to update to it",
        "<dt>Devices on it</dt><dd class=\"\">90 of 360</dd><dd class=\"note\">25 % of the devices of 30 days</dd>",
        "<dt>Health</dt><dd class=\"bad\">failing</dd><dd class=\"note\">&lt;b&gt;why&lt;/b&gt;. It has no guard",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn only_a_healthy_release_is_good() {
    for (verdict, is_failing, expected) in [
        ("healthy", false, "<dd class=\"good\">healthy</dd>"),
        ("unknown", false, "<dd class=\"\">not known yet</dd>"),
        ("unknown", true, "<dd class=\"bad\">failing</dd>"),
        ("unhealthy", true, "<dd class=\"bad\">unhealthy</dd>"),
    ] {
        let page = shown("complete", &Value::Null, &health(verdict, is_failing, Some(AT)));
        assert!(page.contains(expected), "{expected}: {page}");
        assert_eq!(page.contains("dd class=\"good\""), verdict == "healthy", "{page}");
    }
}

#[test]
fn a_guard_without_runs_is_told() {
    let (guard, never) = (json!({ "on_unhealthy": "halt" }), health("unknown", false, None));
    let looked = health("unknown", false, Some(AT));
    let text =
        |now, health: &ReleaseHealthBody| shown_at(now, &release("fixed", &guard), Some(health), &app(true));
    for (now, health, expected) in [
        (
            minutes_after(SINCE, 60),
            &never,
            "No guard run has looked at it yet. Its guard halts an unhealthy release.",
        ),
        (minutes_after(SINCE, 61), &never, "No guard run has looked at it yet: its guard stops nothing."),
        (minutes_after(AT, 60), &looked, "Its guard halts an unhealthy release, and looked <time"),
        (minutes_after(AT, 61), &looked, "for more than an hour: its guard stops nothing."),
    ] {
        let page = text(now, health);
        assert!(page.contains(expected), "{expected}: {page}");
    }
}

#[test]
fn what_is_not_counted_is_not_shown() {
    let found = health("unknown", true, None);
    let now = minutes_after(AT, 5);
    let off = shown_at(now, &release("running", &Value::Null), Some(&found), &app(false));
    assert!(off.contains("takes no failure reports") && !off.contains("30 of 90"), "{off}");
    let old = ReleaseHealthBody { now: None, ..found };
    let old = shown_at(now, &release("complete", &Value::Null), Some(&old), &app(true));
    assert!(old.contains("counted for 14 days") && !old.contains("No guard run"), "{old}");
}
