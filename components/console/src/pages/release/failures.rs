//! Failures of a version, compared with those of the previous version.

use maud::{Markup, html};
use spindrift_api::{AppEntry, HealthCauseBody, ReleaseHealthBody, VersionFailures};

use crate::table::{column, columns, table, value};
use crate::{Address, parts};

/// How many versions the service lists: those with the latest failures.
const LISTED: usize = 100;

pub(super) fn section(
    app: &AppEntry,
    version: &str,
    before: Option<&str>,
    failed: &[VersionFailures],
    health: Option<&ReleaseHealthBody>,
) -> Markup {
    let head = html! {
        (column("Version")) (value("Open groups")) (value("Groups")) (value("Reports"))
        (value("Devices in 30 days")) (value("Reports per 100 devices"))
    };
    html! {
        section {
            h2 { "Failures" }
            @if failed.is_empty() && !app.reports {
                (parts::empty("This application takes no failure reports.", &html! {
                    a href=(Address::page(["setup"])) { "Turn them on in the setup" } "."
                }))
            } @else {
                (table("Failures", &head, &html! {
                    (row(app, version, "this one", failed))
                    @if let Some(before) = before { (row(app, before, "the one before", failed)) }
                }))
            }
            @if let Some(health) = health { (by_cause(app, health)) }
        }
    }
}

fn row(app: &AppEntry, version: &str, which: &str, failed: &[VersionFailures]) -> Markup {
    let own = failed.iter().find(|row| row.version == version);
    let page = Address::page(["failures"]).with("app", &app.app_name).with("version", version);
    html! {
        tr {
            th scope="row" { a href=(page) { (version) } " " span.hint { (which) } }
            @match own {
                Some(own) => {
                    td.value { (parts::number(own.open_groups)) }
                    td.value { (parts::number(own.groups)) }
                    td.value { (parts::number(own.reports)) }
                    td.value { (parts::number(own.devices)) }
                    td.value { (for_100(own.reports, own.devices)) }
                }
                None if failed.len() < LISTED => td colspan="5" { "no failures" },
                None => td colspan="5" { "none recently: " (LISTED) " other versions have failed since" },
            }
        }
    }
}

/// The causes at the moment, or those that the last guard run found. Empty if there are none.
fn by_cause(app: &AppEntry, health: &ReleaseHealthBody) -> Markup {
    let now = health.now.as_ref();
    let causes = now.map_or(&health.causes, |now| &now.causes);
    let running = now.map_or(&health.running, |now| &now.running);
    let before = running.baseline.as_ref().and_then(|before| before.version.as_deref());
    let head = html! {
        (columns(["Type", "Reason"])) (value("Devices")) (columns(["From versions", "Platforms"])) (value("Reports"))
        (value("Before"))
    };
    html! {
        @if !causes.is_empty() {
            h3 { "By cause" }
            (table("Failures by cause", &head, &html! { @for cause in causes { (cause_row(app, cause)) } }))
            p.hint {
                "A device counts for the first cause that it reports. Reports are "
                @if let Some(since) = &health.since { "those since the day of " (parts::time(since)) }
                ", and before those of "
                @if let Some(before) = before { (before) " in " }
                "the week before clients saw this version. Copies report with their own version, so failed \
                 updates to this one are those of older versions."
            }
        }
    }
}

fn cause_row(app: &AppEntry, cause: &HealthCauseBody) -> Markup {
    let page = Address::page(["failures"]).with("app", &app.app_name).with("type", &cause.event);
    html! {
        tr {
            td { (cause.event) }
            th.words scope="row" { a href=(page.with("reason", &cause.reason)) { (cause.reason) } }
            td.value { (parts::number(cause.devices)) }
            td.words { (cause.versions.join(", ")) }
            td { (cause.platforms.join(", ")) }
            td.value { (parts::number(cause.new)) }
            td.value { (parts::number(cause.before)) }
        }
    }
}

/// One decimal. A dash if no device was counted.
fn for_100(reports: u64, devices: u64) -> String {
    match (reports * 1000).checked_div(devices) {
        Some(tenths) => format!("{}.{}", tenths / 10, tenths % 10),
        None => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_one_decimal() {
        for (reports, devices, expected) in [(0, 10, "0.0"), (1, 40, "2.5"), (30, 10, "300.0"), (3, 0, "–")]
        {
            assert_eq!(for_100(reports, devices), expected);
        }
    }
}
