//! How devices take up versions, and what they run on.

use maud::{Markup, html};
use spindrift_api::{AdoptionBody, TelemetryBody};

use super::filters::Filters;
use crate::address::Address;
use crate::parts;
use crate::plots::{Areas, Series, bars};

pub(super) fn section(
    app: &str,
    filters: &Filters,
    (adoption, not_kept): (&AdoptionBody, Option<&Markup>),
    telemetry: &TelemetryBody,
) -> Markup {
    let total = telemetry.summary.unique_clients;
    let platforms: Vec<_> =
        telemetry.platforms.iter().map(|row| (row.platform.clone(), row.client_count)).collect();
    let archs: Vec<_> =
        telemetry.architectures.iter().map(|row| (row.arch.clone(), row.client_count)).collect();
    html! {
        section {
            h2 { "Adoption" }
            (ranges(app, filters))
            @if total == 0 {
                (parts::empty("No devices were seen in this time.", &html! {
                    "Clients are counted when they send " code { "X-Device-ID" } " with a check. "
                    a href=(Address::page(["setup", "snippets"]).with("app", app)) { "Configure clients" } "."
                }))
            } @else {
                (over_time(adoption))
                @if let Some(hint) = not_kept { (hint) }
                div.halves {
                    div { h3 { "Platforms" } (bars("Devices by platform", &platforms, total)) }
                    div { h3 { "Architectures" } (bars("Devices by architecture", &archs, total)) }
                }
            }
        }
    }
}

fn ranges(app: &str, filters: &Filters) -> Markup {
    html! {
        p.ranges {
            @for (range, name) in [("week", "7 days"), ("month", "30 days"), ("quarter", "90 days")] {
                @let here = Filters { range: range.to_owned(), ..filters.clone() }.here(app);
                a href=(here) aria-current=[(filters.range == range).then_some("true")] { (name) }
            }
        }
    }
}

fn over_time(adoption: &AdoptionBody) -> Markup {
    let series = series(adoption);
    let mut head = vec!["Day"];
    head.extend(series.iter().map(|series| series.name.as_str()));
    let rows: Vec<Vec<String>> = adoption
        .days
        .iter()
        .enumerate()
        .map(|(day, name)| {
            let values =
                series.iter().map(|series| series.values.get(day).copied().unwrap_or_default().to_string());
            std::iter::once(name.clone()).chain(values).collect()
        })
        .collect();
    html! {
        (Areas { label: "Devices by day and version", days: &adoption.days, series: &series }.draw())
        (parts::table_of_plot(&head, &rows, None))
    }
}

/// The lowest layer first: the rest, then old versions, and the newest on top.
fn series(adoption: &AdoptionBody) -> Vec<Series> {
    let other = Series { name: "others".to_owned(), values: adoption.other.clone() };
    let versions = adoption.versions.iter().rev();
    let versions = versions.map(|row| Series { name: row.version.clone(), values: row.clients.clone() });
    let has_other = other.values.iter().any(|value| *value > 0);
    has_other.then_some(other).into_iter().chain(versions).collect()
}
