//! Requests and devices: by day, and by version, channel, platform and architecture.

mod filters;
mod tables;

use futures::future::try_join;
use maud::{Markup, html};
use spindrift_api::{TelemetryBody, TelemetrySummary};
use spindrift_web::{Request, Response};

use crate::plots::{Areas, Series, bars};
use crate::{Address, Catalog, ConsoleError, Context, KeptDays, MenuEntry, Result, parts, respond};

pub(crate) use self::filters::TelemetryFilters;
pub(crate) use self::tables::Table;

/// Number of bars in a distribution. Its table has all rows.
const BARS: usize = 12;

/// `GET /console/telemetry`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let filters = TelemetryFilters::of(&request.query()?.into());
    let call = filters.call();
    let loaded = try_join(Catalog::load(context), context.service.get::<TelemetryBody>(&call));
    let (me, (catalog, mut figures)) = context.with_me(loaded).await?;
    let not_kept = KeptDays::read(context)?.of_telemetry(&mut figures);
    let content = html! {
        h1 { "Telemetry" }
        (filters.ranges())
        (filters.form(&catalog))
        (sums(&figures.summary))
        @if let Some(hint) = not_kept { (hint) }
        @if figures.summary.unique_clients == 0 { (empty_text(&filters)) } @else {
            p.hint { "Up to date: " (parts::UP_TO_DATE.to_lowercase()) "." }
            (plots(&filters, &figures))
        }
    };
    Ok(context.page("Telemetry", &me, MenuEntry::Telemetry).with_rare_refresh().show(&content))
}

/// `GET /console/telemetry.csv`: one table as a file.
pub(crate) async fn csv(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let table = query.get("table").and_then(Table::from_name).ok_or(ConsoleError::NoPage)?;
    let filters = TelemetryFilters::of(&query.into());
    let mut figures: TelemetryBody = context.service.get(&filters.call()).await?;
    let _ = KeptDays::read(context)?.of_telemetry(&mut figures);
    let name = format!("telemetry-{}-{}", table.name(), figures.date);
    Ok(respond::csv(&name, table.head(), &table.rows(&figures)))
}

fn empty_text(filters: &TelemetryFilters) -> Markup {
    let next = html! {
        @if filters.is_narrowed() { a href=(filters.without_names().page()) { "Show all" } ". " }
        "Clients are counted when they send " code { "X-Device-ID" } " with a check. "
        a href=(Address::page(["setup", "snippets"])) { "Configure clients" } "."
    };
    parts::empty("No devices were seen in this time.", &next)
}

fn sums(summary: &TelemetrySummary) -> Markup {
    let of_all =
        |part: u64| format!("{} ({})", parts::number(part), parts::share(part, summary.unique_clients));
    html! {
        dl.sums {
            div { dt { "Devices" } dd { (parts::number(summary.unique_clients)) } }
            div { dt { "Requests" } dd { (parts::number(summary.total_requests)) } }
            div {
                dt title=(parts::UP_TO_DATE) { "Up to date" }
                dd { (of_all(summary.clients_using_latest_version)) }
            }
            div { dt { "Outdated" } dd { (of_all(summary.clients_outdated)) } }
            div { dt { "Applications in use" } dd { (parts::number(summary.total_active_apps)) } }
        }
    }
}

fn plots(filters: &TelemetryFilters, figures: &TelemetryBody) -> Markup {
    html! {
        section {
            h2 { "By day" }
            @if figures.date_range.len() > 1 { (by_day(figures)) }
            (table(Table::Days, filters, figures))
        }
        div.halves {
            (part(Table::Versions, filters, figures))
            div {
                @for shown in [Table::Channels, Table::Platforms, Table::Architectures] {
                    (part(shown, filters, figures))
                }
            }
        }
    }
}

fn part(shown: Table, filters: &TelemetryFilters, figures: &TelemetryBody) -> Markup {
    html! {
        section {
            h2 { (shown.title()) }
            (distribution(shown, filters, figures))
        }
    }
}

/// A distribution of devices: bars, and all values as a table and as a file. `figures`: for these
/// filters.
pub(crate) fn distribution(shown: Table, filters: &TelemetryFilters, figures: &TelemetryBody) -> Markup {
    html! { (most_frequent(shown, figures)) (table(shown, filters, figures)) }
}

fn by_day(figures: &TelemetryBody) -> Markup {
    let days = &figures.daily_stats;
    let series = |name: &str, of: fn(&spindrift_api::DailyStats) -> u64| Series {
        name: name.to_owned(),
        values: days.iter().map(of).collect(),
    };
    let devices = [
        series("outdated", |day| day.clients_outdated),
        series("up to date", |day| day.clients_using_latest_version),
    ];
    let requests = [series("requests", |day| day.total_requests)];
    let areas = |label, series| Areas { label, days: &figures.date_range, series }.draw();
    html! {
        div.halves {
            div { h3 { "Devices" } (areas("Devices by day: up to date, and outdated", &devices[..])) }
            div { h3 { "Requests" } (areas("Requests by day", &requests[..])) }
        }
    }
}

/// The most frequent values, with all others in one bar.
fn most_frequent(table: Table, figures: &TelemetryBody) -> Markup {
    let counts = table.counts(figures);
    // One more bar takes no more space than "1 other".
    let bars_shown = if counts.len() == BARS + 1 { counts.len() } else { counts.len().min(BARS) };
    let (shown, others) = counts.split_at(bars_shown);
    let mut shown = shown.to_vec();
    if !others.is_empty() {
        let sum = others.iter().map(|(_, number)| number).sum();
        shown.push((format!("{} others", others.len()), sum));
    }
    bars(&format!("Devices by {}", table.noun().to_lowercase()), &shown, figures.summary.unique_clients)
}

fn table(table: Table, filters: &TelemetryFilters, figures: &TelemetryBody) -> Markup {
    parts::table_of_plot(table.head(), &table.rows(figures), Some(&filters.csv(table)))
}
