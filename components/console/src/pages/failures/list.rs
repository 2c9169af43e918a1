//! The list of failures, by cause or by group.

use futures::future::try_join;
use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{
    AppsBody, CauseRef, CausesBody, CausesPatchBody, CausesUpdatedBody, FailuresByVersionBody, GroupsBody,
};
use spindrift_core::Actor;
use spindrift_web::{Request, Response};

use super::change::of_status;
use super::filters::FailureFilters;
use super::{causes, groups};
use crate::table::{column, table, value};
use crate::{Address, ConsoleError, Context, FormFields, MenuEntry, Result, catalog, parts, respond, rights};

const STATUSES: [(&str, &str); 4] =
    [("", "any"), ("open", "open"), ("resolved", "resolved"), ("muted", "muted")];

/// `GET /console/failures`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let filters = FailureFilters::of(request.query()?);
    let apps = catalog::brief_apps();
    let loaded = try_join(context.service.get::<AppsBody>(&apps), by_version(context, filters.one("app")));
    let (me, (apps, versions)) = context.with_me(loaded).await?;
    let found = results(context, &filters, &rights::actor(&me)).await?;
    let content = html! {
        h1 { "Failures" }
        (form(&filters, &apps))
        @if let Some(found) = found { (found) } @else { (empty_text(&filters, &apps)) }
        @if let Some(versions) = versions { (versions_table(&versions)) }
    };
    Ok(context.page("Failures", &me, MenuEntry::Failures).with_frequent_refresh().show(&content))
}

/// The table of the selection. `None`: the selection is empty.
async fn results(context: &Context<'_>, filters: &FailureFilters, actor: &Actor) -> Result<Option<Markup>> {
    let (table, page, limit, total) = if filters.are_groups() {
        let found: GroupsBody = context.service.get(&filters.list()).await?;
        (groups::table(&found), found.page, found.limit, found.total)
    } else {
        let found: CausesBody = context.service.get(&filters.list()).await?;
        let table = causes::table(&found, filters, actor, &context.form_token());
        (table, found.page, found.limit, found.total)
    };
    let (noun, other) = if filters.are_groups() {
        ("group", "Show them by cause")
    } else {
        ("cause", "Show each version and system")
    };
    Ok((total > 0).then(|| {
        html! {
            p.hint { (parts::count(total, noun)) ". " a href=(filters.other_view()) { (other) } }
            (table)
            (parts::pages(&filters.first_page(), page.into(), limit.into(), total))
        }
    }))
}

/// `POST /console/failures`: changes the status of the selected causes.
pub(super) async fn change(context: &Context<'_>, request: Request) -> Result<Response> {
    let filters = FailureFilters::of(request.query()?);
    let sent = FormFields::from(context.form(request).await?);
    let status = sent.one("status");
    let chosen: Vec<CauseRef> = sent.all(causes::CHOSEN).filter_map(cause).collect();
    if chosen.is_empty() {
        return Err(ConsoleError::refused(StatusCode::BAD_REQUEST, "no failure was chosen"));
    }
    let body = CausesPatchBody { causes: Some(chosen), status: Some(status.to_owned()) };
    let call = filters.select(Address::call("/reports/causes"));
    let _: CausesUpdatedBody = context.service.send_json(Method::PATCH, &call, &body).await?;
    Ok(respond::see_other(&of_status(status).add_to(filters.first_page())))
}

/// Parses the value of a checkbox.
fn cause(value: &str) -> Option<CauseRef> {
    let mut words = value.split(' ').map(ToOwned::to_owned);
    Some(CauseRef { app_id: words.next()?, event_type: words.next()?, reason: words.next()? })
}

/// Failures by version, if the list is about one application.
async fn by_version(context: &Context<'_>, app: &str) -> Result<Option<FailuresByVersionBody>> {
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

fn form(filters: &FailureFilters, apps: &AppsBody) -> Markup {
    let apps = apps.apps.iter().map(|app| (app.app_name.as_str(), app.app_name.as_str()));
    html! {
        form.filters method="get" action=(Address::page(["failures"])) role="search" {
            @for kept in ["view", "sort", "order"] {
                @if !filters.one(kept).is_empty() { input type="hidden" name=(kept) value=(filters.one(kept)); }
            }
            (parts::select("app", "Application", filters.one("app"), std::iter::once(("", "any")).chain(apps)))
            (parts::field("version", "Version", filters.one("version")))
            (parts::select("status", "Status", filters.one("status"), STATUSES))
            (parts::field("tag", "Tag", filters.one("tag")))
            label { "Text"
                input type="search" name="search" value=(filters.one("search")) placeholder="reason, tag or note";
            }
            button type="submit" { "Filter" }
            @if filters.is_narrowed() { a href=(Address::page(["failures"])) { "Show all" } }
        }
    }
}

fn empty_text(filters: &FailureFilters, apps: &AppsBody) -> Markup {
    if filters.is_narrowed() {
        let next = html! { a href=(Address::page(["failures"])) { "Show all failures" } };
        return parts::empty("No failure matches.", &next);
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

fn versions_table(versions: &FailuresByVersionBody) -> Markup {
    let head = html! {
        (column("Version")) (value("Reports")) (value("Groups")) (value("Open")) (value("Devices in 30 days"))
    };
    let rows = html! {
        @for row in &versions.versions { tr {
            th scope="row" { (row.version) }
            td.value { (parts::number(row.reports)) } td.value { (parts::number(row.groups)) }
            td.value { (parts::number(row.open_groups)) } td.value { (parts::number(row.devices)) }
        } }
    };
    html! {
        @if !versions.versions.is_empty() {
            section.narrow {
                h2 { "By version" }
                (table("Failures by version", &head, &rows))
            }
        }
    }
}
