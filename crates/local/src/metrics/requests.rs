//! Counts of requests, failures and times by component, since the process started.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;

/// Upper bounds of the time buckets, in milliseconds: from a check answered from a kept record to a completed
/// upload.
const ENDS_MS: [u64; 6] = [5, 25, 100, 500, 2_500, 10_000];
const COUNT: &str = "spindrift_requests_total";
const TIME: &str = "spindrift_request_duration_seconds";

/// The counts of all components. A component is listed once it has answered.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<BTreeMap<String, ComponentCounts>>);

#[derive(Debug, Default)]
struct ComponentCounts {
    /// Number of answers by the first digit of their status.
    by_status: BTreeMap<u16, u64>,
    /// How many answers began within each bound of [`ENDS_MS`], not counting those in lower buckets.
    within: [u64; ENDS_MS.len()],
    total: Duration,
}

impl Requests {
    /// Counts an answer that began after `time`.
    pub(super) fn count(&self, component: &str, status: StatusCode, time: Duration) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !all.contains_key(component) {
            all.insert(component.to_owned(), ComponentCounts::default());
        }
        let Some(counts) = all.get_mut(component) else { return };
        *counts.by_status.entry(status.as_u16() / 100).or_default() += 1;
        let class = ENDS_MS.iter().position(|end| time <= Duration::from_millis(*end));
        if let Some(count) = class.and_then(|class| counts.within.get_mut(class)) {
            *count += 1;
        }
        counts.total += time;
    }

    /// The counts in Prometheus' text format.
    pub(super) fn text(&self) -> String {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text =
            format!("# HELP {COUNT} Answers, by component and class of status.\n# TYPE {COUNT} counter\n");
        for (component, counts) in all.iter() {
            for (class, count) in &counts.by_status {
                add(
                    &mut text,
                    format_args!("{COUNT}{{component=\"{component}\",status=\"{class}xx\"}} {count}"),
                );
            }
        }
        add(&mut text, format_args!("# HELP {TIME} Time until an answer began.\n# TYPE {TIME} histogram"));
        for (component, counts) in all.iter() {
            counts.add_times(component, &mut text);
        }
        text
    }
}

impl ComponentCounts {
    fn add_times(&self, component: &str, text: &mut String) {
        let mut so_far = 0;
        for (end, count) in ENDS_MS.iter().zip(self.within) {
            so_far += count;
            let end = Duration::from_millis(*end).as_secs_f64();
            add(text, format_args!("{TIME}_bucket{{component=\"{component}\",le=\"{end}\"}} {so_far}"));
        }
        let all: u64 = self.by_status.values().sum();
        add(text, format_args!("{TIME}_bucket{{component=\"{component}\",le=\"+Inf\"}} {all}"));
        add(text, format_args!("{TIME}_sum{{component=\"{component}\"}} {}", self.total.as_secs_f64()));
        add(text, format_args!("{TIME}_count{{component=\"{component}\"}} {all}"));
    }
}

/// Adds a line. Writing to a string cannot fail.
fn add(text: &mut String, line: std::fmt::Arguments<'_>) {
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_counted_by_component_status_and_time() {
        let requests = Requests::default();
        for (status, milliseconds) in [(200, 5), (204, 6), (503, 20_000)] {
            requests.count(
                "check",
                StatusCode::from_u16(status).unwrap(),
                Duration::from_millis(milliseconds),
            );
        }
        requests.count("docs", StatusCode::OK, Duration::ZERO);
        let text = requests.text();
        for line in [
            "spindrift_requests_total{component=\"check\",status=\"2xx\"} 2",
            "spindrift_requests_total{component=\"check\",status=\"5xx\"} 1",
            "spindrift_requests_total{component=\"docs\",status=\"2xx\"} 1",
            "spindrift_request_duration_seconds_bucket{component=\"check\",le=\"0.005\"} 1",
            "spindrift_request_duration_seconds_bucket{component=\"check\",le=\"0.025\"} 2",
            "spindrift_request_duration_seconds_bucket{component=\"check\",le=\"10\"} 2",
            "spindrift_request_duration_seconds_bucket{component=\"check\",le=\"+Inf\"} 3",
            "spindrift_request_duration_seconds_sum{component=\"check\"} 20.011",
            "spindrift_request_duration_seconds_count{component=\"check\"} 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
