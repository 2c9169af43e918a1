//! The devices that did not crash, by day and platform, beside those of the version before.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, html};
use spindrift_api::{CurrentHealthBody, HealthDayBody};

use crate::parts;
use crate::plots::{ShareLine, SharePlot, percent, share_plots};

/// Maximum number of platforms with a plot of their own: those with the most devices.
const PLATFORMS: usize = 3;

/// How many percentage points below the version before a line is red.
const WORSE: f64 = 1.0;

/// Devices of a version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Devices {
    seen: u64,
    failing: u64,
}

impl Devices {
    fn add(&mut self, seen: u64, failing: u64) {
        self.seen += seen;
        self.failing += failing;
    }

    /// The percentage without a failure. `None`: no device was seen. Copies that do not start fail without being seen.
    #[expect(clippy::cast_precision_loss, reason = "a tenth of a percent is coarser")]
    fn crash_free(self) -> Option<f64> {
        let good = self.seen.saturating_sub(self.failing);
        (self.seen > 0).then(|| 100.0 * good as f64 / self.seen as f64)
    }
}

/// The figures of some platforms by day: of the release, and of the version before.
type ByDay = BTreeMap<String, [Devices; 2]>;

/// `version`: that of the release.
pub(super) fn section(version: &str, now: &CurrentHealthBody) -> Markup {
    let dates: Vec<String> =
        now.days.iter().map(|day| &day.date).collect::<BTreeSet<_>>().into_iter().cloned().collect();
    let all = by_day(&now.days, None);
    let has_devices = all.values().any(|[release, _]| release.seen > 0);
    html! {
        section #crash-free data-live {
            h2 { "Devices without a crash" }
            @if has_devices {
                (legend(version, now.before.as_deref()))
                (share_plots("Devices without a crash", &dates, &plots(version, now, &all, &dates)))
                p.days { span { (dates.first().map_or("", String::as_str)) } span { (dates.last().map_or("", String::as_str)) } }
                (parts::table_of_plot(&head(version, now.before.as_deref()), &rows(&now.days), None))
            } @else {
                p.hint { "No device with " (version) " has asked for updates yet, so there is no share to show." }
            }
        }
    }
}

fn legend(version: &str, before: Option<&str>) -> Markup {
    html! {
        p.legend {
            span { span.swatch.this {} (version) }
            @if let Some(before) = before { span { span.swatch.before {} (before) " (before)" } }
        }
    }
}

fn by_day(days: &[HealthDayBody], platform: Option<&str>) -> ByDay {
    let mut found = ByDay::new();
    for day in days.iter().filter(|day| platform.is_none_or(|platform| day.platform == platform)) {
        let [release, before] = found.entry(day.date.clone()).or_default();
        release.add(day.devices, day.failing);
        before.add(day.devices_before, day.failing_before);
    }
    found
}

/// All devices, and each of the largest platforms if there are several.
fn plots(version: &str, now: &CurrentHealthBody, all: &ByDay, dates: &[String]) -> Vec<SharePlot> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    for day in &now.days {
        *sizes.entry(&day.platform).or_default() += day.devices + day.failing;
    }
    let mut platforms: Vec<(&str, u64)> = sizes.into_iter().filter(|(_, size)| *size > 0).collect();
    platforms.sort_by_key(|(_, size)| std::cmp::Reverse(*size));
    platforms.truncate(PLATFORMS);
    let of_platforms = platforms.iter().filter(|_| platforms.len() > 1);
    let plot = |title: &str, found: &ByDay| {
        let line = |place: usize, class, name: &str| {
            let value = |date| found.get(date).and_then(|both| both.get(place)?.crash_free());
            ShareLine { class, name: name.to_owned(), values: dates.iter().map(value).collect() }
        };
        let (before, this) =
            (now.before.as_deref().map(|before| line(1, "before", before)), line(0, "this", version));
        let usual = before.as_ref().and_then(ShareLine::last).unwrap_or(100.0);
        let is_low = this.last().is_some_and(|last| last < usual - WORSE);
        let this = ShareLine { class: if is_low { "this low" } else { "this" }, ..this };
        // The release is drawn last, above the other.
        SharePlot { title: title.to_owned(), lines: before.into_iter().chain([this]).collect() }
    };
    std::iter::once(plot("All devices", all))
        .chain(of_platforms.map(|(platform, _)| plot(platform, &by_day(&now.days, Some(platform)))))
        .collect()
}

fn head<'h>(version: &'h str, before: Option<&'h str>) -> Vec<&'h str> {
    let of_before = before.map(|before| [before, "Failing", "Without a crash"]);
    ["Day", "Platform", version, "Failing", "Without a crash"]
        .into_iter()
        .chain(of_before.into_iter().flatten())
        .collect()
}

/// The newest day first.
fn rows(days: &[HealthDayBody]) -> Vec<Vec<String>> {
    let share = |seen, failing| Devices { seen, failing }.crash_free().map_or("–".to_owned(), percent);
    let row = |day: &HealthDayBody| {
        let numbers = [
            parts::number(day.devices),
            parts::number(day.failing),
            share(day.devices, day.failing),
            parts::number(day.devices_before),
            parts::number(day.failing_before),
            share(day.devices_before, day.failing_before),
        ];
        [day.date.clone(), day.platform.clone()].into_iter().chain(numbers).collect()
    };
    days.iter().rev().map(row).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn now(days: &[(&str, &str, [u64; 4])], before: Option<&str>) -> CurrentHealthBody {
        let series = json!({ "k": 0, "n": 0, "per_1000": null, "needed": 5.3 });
        let day = |(date, platform, [devices, failing, devices_before, failing_before]): &(
            &str,
            &str,
            [u64; 4],
        )| {
            json!({
                "date": date, "platform": platform, "devices": devices, "failing": failing,
                "devices_before": devices_before, "failing_before": failing_before,
            })
        };
        let days: Vec<_> = days.iter().map(day).collect();
        serde_json::from_value(json!({
            "verdict": "unknown", "why": "w", "failing": true, "devices": 90, "running": series, "updating": series,
            "causes": [], "before": before, "days": days,
        }))
        .unwrap()
    }

    #[test]
    fn each_platform_is_shown_beside_all() {
        let now = now(
            &[
                ("2026-11-21", "linux", [0, 0, 100, 1]),
                ("2026-11-22", "linux", [60, 30, 100, 0]),
                ("2026-11-22", "mac", [30, 0, 50, 0]),
            ],
            Some("1.0"),
        );
        let page = section("<2.0>", &now).into_string();
        for part in [
            "aria-label=\"Devices without a crash, All devices: 1.0 100 %, &lt;2.0&gt; 66.6 %\"",
            "aria-label=\"Devices without a crash, linux: 1.0 100 %, &lt;2.0&gt; 50 %\"",
            "aria-label=\"Devices without a crash, mac: 1.0 100 %, &lt;2.0&gt; 100 %\"",
            "<th scope=\"row\">2026-11-21</th><td>linux</td><td>0</td><td>0</td><td>–</td><td>100</td><td>1</td><td>99 %</td>",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
    }

    #[test]
    fn one_platform_needs_no_plot_of_its_own() {
        let page = section("2.0", &now(&[("2026-11-22", "linux", [5, 9, 0, 0])], None)).into_string();
        assert_eq!(page.matches("<figure").count(), 1, "{page}");
        assert!(page.contains("All devices: 2.0 0 %") && !page.contains("(before)"), "{page}");
        let unseen = section("2.0", &now(&[("2026-11-22", "linux", [0, 9, 0, 0])], None)).into_string();
        assert!(unseen.contains("No device with 2.0 has asked") && !unseen.contains("<figure"), "{unseen}");
    }
}
