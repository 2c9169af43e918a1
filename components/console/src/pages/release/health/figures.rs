//! Describes the figures of a release's health.

use maud::{Markup, html};
use serde_json::Number;
use spindrift_api::{ReleaseHealthBody, SeriesBody};
use spindrift_core::{Guard, GuardAction};

use crate::parts;

/// The failures since the rollout began, compared with those before. Empty if no device failed.
pub(super) fn list(body: &ReleaseHealthBody) -> Markup {
    let all = [("crashed or did not start", &body.running), ("failed to update to it", &body.updating)];
    html! {
        @if all.iter().any(|(_, series)| series.k > 0) {
            ul {
                @for (did, series) in all {
                    @if series.k > 0 { li { (sentence(body.since.as_deref(), did, series)) } }
                }
            }
        }
    }
}

/// If devices are not counted, the service counts one device-day for each failing device: such a
/// rate means nothing.
fn sentence(since: Option<&str>, did: &str, series: &SeriesBody) -> Markup {
    html! {
        (parts::count(series.k, "device")) " " (did)
        @if series.n > series.k { " in " (parts::count(series.n, "device-day")) }
        @if let Some(since) = since { " since " (parts::time(since)) }
        @if let Some(rate) = series.per_1000.filter(|_| series.n > series.k) { ": " (decimal(rate)) " in 1000" }
        "."
        @if let Some((before, rate)) = series.baseline.as_ref().and_then(|before| Some((before, before.per_1000?))) {
            " Before"
            @if let Some(version) = &before.version { ", with " (version) }
            ": " (decimal(rate)) " in 1000."
        }
    }
}

/// Formats a number with at most two decimals.
fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "0" if number > 0.0 => "less than 0.01".to_owned(),
        short => short.to_owned(),
    }
}

/// Whether devices fail more often than the guard, or the default one, allows. This may be chance.
pub(super) fn are_worse(body: &ReleaseHealthBody) -> bool {
    let number = |number: &Option<Number>| number.as_ref().and_then(Number::as_f64);
    let guard = body.guard.as_ref();
    let factor = guard.and_then(|guard| number(&guard.factor));
    let factor = factor.unwrap_or(Guard::new(GuardAction::Pause).factor.to_f64());
    let max = guard.and_then(|guard| number(&guard.max_per_1000));
    let is_above = |series: &SeriesBody, max: Option<f64>| {
        let before = series.baseline.as_ref().and_then(|before| before.per_1000);
        let allowed = max.or_else(|| before.map(|rate| rate * factor));
        let rate = series.per_1000.filter(|_| series.n > series.k);
        rate.zip(allowed).is_some_and(|(rate, allowed)| rate > allowed)
    };
    is_above(&body.running, max) || is_above(&body.updating, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_short() {
        for (rate, text) in [
            (40.0, "40"),
            (2.5, "2.5"),
            (1.666, "1.67"),
            (0.0, "0"),
            (0.001, "less than 0.01"),
            (100.0, "100"),
        ] {
            assert_eq!(decimal(rate), text);
        }
    }
}
