//! Formats the health of a release.

use spindrift_api::{HealthCauseBody, ReleaseBody, ReleaseHealthBody, SeriesBody};

use crate::commands::rollout::sentences::{guard_words, time, verdict};

/// The verdict, and the figures behind it.
pub(super) fn rows(release: &ReleaseBody, health: &ReleaseHealthBody) -> Vec<Vec<String>> {
    let mut rows = vec![
        ("application", release.app.clone()),
        ("version", release.version.clone()),
        ("verdict", verdict(health.verdict).to_owned()),
        ("why", health.why.clone()),
    ];
    rows.extend(health.at.as_deref().map(|at| ("looked at", time(at))));
    rows.extend(health.since.as_deref().map(|since| ("failures since", time(since))));
    rows.push(("guard", health.guard.as_ref().map_or_else(|| "off".to_owned(), guard_words)));
    rows.push(("devices seen", health.devices.to_string()));
    rows.extend(series(&health.running, ["running", "running before", "running evidence"]));
    rows.extend(series(&health.updating, ["updating", "updating before", "updating evidence"]));
    rows.extend(health.causes.iter().map(|found| ("cause", cause(found))));
    rows.into_iter().map(|(label, value)| vec![label.to_owned(), value]).collect()
}

fn series<'a>(series: &SeriesBody, labels: [&'a str; 3]) -> Vec<(&'a str, String)> {
    let SeriesBody { k, n, per_1000, baseline, ln_e, needed } = series;
    let [now, before, evidence] = labels;
    let mut rows = vec![(now, format!("{k} devices failed in {n} device-days{}", rate(*per_1000)))];
    rows.extend(baseline.as_ref().map(|baseline| {
        let of = baseline.version.as_deref().unwrap_or("older versions");
        let rate = rate(baseline.per_1000);
        (before, format!("failures on {} of {} device-days with {of}{rate}", baseline.k, baseline.n))
    }));
    rows.extend(
        ln_e.map(|ln_e| {
            (evidence, format!("{}; unhealthy from {}", short_number(ln_e), short_number(*needed)))
        }),
    );
    rows
}

fn rate(per_1000: Option<f64>) -> String {
    per_1000.map(|rate| format!(": {} per 1000", short_number(rate))).unwrap_or_default()
}

/// Formats a number with up to two decimals.
fn short_number(number: f64) -> String {
    // Adding zero turns -0 into 0.
    ((number * 100.0).round() / 100.0 + 0.0).to_string()
}

fn cause(cause: &HealthCauseBody) -> String {
    let HealthCauseBody { event, reason, new, before, devices, .. } = cause;
    format!(
        "{event}, {reason}: {new} reports from {devices} devices; {before} in the week before the release"
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn lines(health: Value) -> Vec<String> {
        let release = json!({ "id": "r", "app": "notes", "version": "2.0", "shut_off": false, "offers": [] });
        let release: ReleaseBody = serde_json::from_value(release).unwrap();
        let health: ReleaseHealthBody = serde_json::from_value(health).unwrap();
        rows(&release, &health).iter().map(|row| row.join(": ")).collect()
    }

    #[test]
    fn the_verdict_comes_with_its_figures() {
        let health = json!({
            "since": "2026-11-25T10:00:00+00:00", "at": "2026-11-26T10:00:30+00:00", "verdict": "unhealthy",
            "why": "12 devices failed in 340 device-days; 10 in 1000 before.", "devices": 300,
            "guard": { "on_unhealthy": "pause", "alpha": 0.01, "factor": 1.25, "min_failing": 5, "max_failing": 20 },
            "running": {
                "k": 12, "n": 340, "per_1000": 35.294_117, "ln_e": 5.6396, "needed": 5.298_317,
                "baseline": { "version": "1.9", "k": 10, "n": 1000, "per_1000": 10.0 },
            },
            "updating": {
                "k": 0, "n": 900, "per_1000": 0.0, "ln_e": -3.7212, "needed": 5.298_317,
                "baseline": { "k": 3, "n": 7000, "per_1000": 0.428_571 },
            },
            "causes": [{ "type": "crash", "reason": "segv", "new": 40, "before": 2, "devices": 12 }],
        });
        assert_eq!(
            lines(health),
            [
                "application: notes",
                "version: 2.0",
                "verdict: unhealthy",
                "why: 12 devices failed in 340 device-days; 10 in 1000 before.",
                "looked at: 2026-11-26 10:00 UTC",
                "failures since: 2026-11-25 10:00 UTC",
                "guard: pause (alpha 0.01, factor 1.25, min-failing 5, max-failing 20)",
                "devices seen: 300",
                "running: 12 devices failed in 340 device-days: 35.29 per 1000",
                "running before: failures on 10 of 1000 device-days with 1.9: 10 per 1000",
                "running evidence: 5.64; unhealthy from 5.3",
                "updating: 0 devices failed in 900 device-days: 0 per 1000",
                "updating before: failures on 3 of 7000 device-days with older versions: 0.43 per 1000",
                "updating evidence: -3.72; unhealthy from 5.3",
                "cause: crash, segv: 40 reports from 12 devices; 2 in the week before the release",
            ]
        );
    }

    #[test]
    fn a_draft_has_no_figures() {
        let nothing = json!({ "k": 0, "n": 0, "per_1000": null, "needed": 5.298_317 });
        let health = json!({
            "verdict": "unknown", "why": "The release is not published.", "devices": 0, "running": nothing,
            "updating": nothing, "causes": [],
        });
        assert_eq!(
            lines(health),
            [
                "application: notes",
                "version: 2.0",
                "verdict: unknown",
                "why: The release is not published.",
                "guard: off",
                "devices seen: 0",
                "running: 0 devices failed in 0 device-days",
                "updating: 0 devices failed in 0 device-days",
            ]
        );
    }
}
