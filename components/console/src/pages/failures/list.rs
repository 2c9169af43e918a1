//! The groups of failures.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{AppsBody, FailuresByVersionBody, GroupEntry, GroupsBody};
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use super::named::Named;
use crate::address::Address;
use crate::catalog;
use crate::context::Context;
use crate::error::ConsoleError;
use crate::fields::Fields;
use crate::layout::Place;
use crate::parts;
use crate::plots::sparkline;
use crate::respond::{self, Policy};

/// Groups on a page.
const ROWS: u32 = 25;
/// How often an open page looks for changes, in seconds.
const REFRESH_SECONDS: u32 = 30;
const STATUSES: [(&str, &str); 4] =
    [("", "any"), ("open", "open"), ("resolved", "resolved"), ("muted", "muted")];
/// The filters, as they are called here and by the service.
const FILTERS: [&str; 5] = ["app", "version", "status", "tag", "search"];

/// `GET /console/failures`.
pub(super) async fn show<P: Ports>(
    context: &Context<'_, P>,
    request: &Request,
) -> Result<Response, ConsoleError> {
    let filters = Fields::from(request.query()?);
    let groups = with_filters(Address::call("/reports/groups"), &filters)
        .with("page", filters.one("page"))
        .with("limit", ROWS);
    let apps = catalog::brief_apps();
    let (me, apps, found, versions) = futures::join!(
        context.me(),
        context.service.get::<AppsBody>(&apps),
        context.service.get::<GroupsBody>(&groups),
        by_version(context, filters.one("app")),
    );
    let (me, apps, found, versions) = (me?, apps?, found?, versions?);
    let base = with_filters(Address::page(["failures"]), &filters);
    let content = html! {
        h1 { "Failures" }
        (form(&filters, &apps))
        @if found.items.is_empty() { (nothing(&filters, &apps)) } @else { (table(&found)) }
        (parts::pages(&base, found.page.into(), found.limit.into(), found.total))
        @if let Some(versions) = versions { (versions_table(&versions)) }
    };
    let frame = context.frame("Failures", &me, Some(Place::Failures), Some(REFRESH_SECONDS));
    Ok(respond::page(StatusCode::OK, frame.around(&content), &Policy::default()))
}

fn with_filters(address: Address, filters: &Fields) -> Address {
    FILTERS.into_iter().fold(address, |address, name| address.with(name, filters.one(name)))
}

/// Failures by version, if one application is looked at.
async fn by_version<P: Ports>(
    context: &Context<'_, P>,
    app: &str,
) -> Result<Option<FailuresByVersionBody>, ConsoleError> {
    if app.is_empty() {
        return Ok(None);
    }
    match context.service.get(&Address::call("/reports/versions").with("app", app)).await {
        Ok(versions) => Ok(Some(versions)),
        // Groups outlive their application.
        Err(error) if error.is_refusal(StatusCode::NOT_FOUND) || error.is_refusal(StatusCode::FORBIDDEN) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn form(filters: &Fields, apps: &AppsBody) -> Markup {
    let apps = apps.apps.iter().map(|app| (app.app_name.as_str(), app.app_name.as_str()));
    html! {
        form.filters method="get" action=(Address::page(["failures"])) role="search" {
            (parts::select("app", "Application", filters.one("app"), std::iter::once(("", "any")).chain(apps)))
            (parts::field("version", "Version", filters.one("version")))
            (parts::select("status", "Status", filters.one("status"), STATUSES))
            (parts::field("tag", "Tag", filters.one("tag")))
            label { "Text" input type="search" name="search" value=(filters.one("search")) placeholder="reason, tag or note"; }
            button type="submit" { "Filter" }
            @if is_narrowed(filters) { a href=(Address::page(["failures"])) { "Show all" } }
        }
    }
}

fn is_narrowed(filters: &Fields) -> bool {
    FILTERS.into_iter().any(|name| !filters.one(name).is_empty())
}

fn nothing(filters: &Fields, apps: &AppsBody) -> Markup {
    if is_narrowed(filters) {
        let next = html! { a href=(Address::page(["failures"])) { "Show all failures" } };
        return parts::empty("No failure is like this.", &next);
    }
    let next = html! {
        @if apps.apps.iter().any(|app| app.reports) {
            "Copies report with the key of their application: see "
            a href=(Address::page(["people"])) { "People and keys" } "."
        } @else {
            "No application takes reports. Turn them on in "
            a href=(Address::page(["setup"])) { "Setup" } "."
        }
    };
    parts::empty("No failures have been reported.", &next)
}

fn table(found: &GroupsBody) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Groups of failures" {
            table {
                thead { tr {
                    th scope="col" { "Failure" } th scope="col" { "Status" } th.value scope="col" { "Reports" }
                    th scope="col" { "30 days" } th scope="col" { "Last seen" } th scope="col" { "Application" }
                    th scope="col" { "System" }
                } }
                tbody { @for group in &found.items { (row(group)) } }
            }
        }
    }
}

fn row(group: &GroupEntry) -> Markup {
    html! {
        tr {
            th.words scope="row" {
                a href=(Named::of_entry(group).page(&[])) { (group.event.reason) } " "
                span.quiet { (group.event.event_type.replace('_', " ")) }
            }
            td { (super::named::status(&group.status)) @for tag in &group.tags { " " (parts::badge("", tag)) } @if !group.note.is_empty() { " " span title=(group.note) role="img" aria-label="has a note" { "✎" } } }
            td.value { (parts::number(group.stats.count)) }
            td.trend { (sparkline(&group.trend, "reports by day over 30 days")) }
            td { (parts::time(&group.stats.last_seen)) }
            td.parts { (group.application.name) " " (group.application.version) " " span.quiet { (group.application.channel) } }
            td.parts { (group.system.platform) " " (group.system.arch) }
        }
    }
}

fn versions_table(versions: &FailuresByVersionBody) -> Markup {
    html! {
        @if !versions.versions.is_empty() {
            section.narrow {
                h2 { "By version" }
                div.scroll tabindex="0" role="region" aria-label="Failures by version" {
                    table {
                        thead { tr {
                            th scope="col" { "Version" } th.value scope="col" { "Reports" } th.value scope="col" { "Groups" }
                            th.value scope="col" { "Open" } th.value scope="col" { "Devices in 30 days" }
                        } }
                        tbody { @for row in &versions.versions { tr {
                            th scope="row" { (row.version) }
                            td.value { (parts::number(row.reports)) } td.value { (parts::number(row.groups)) }
                            td.value { (parts::number(row.open_groups)) } td.value { (parts::number(row.devices)) }
                        } } }
                    }
                }
            }
        }
    }
}
