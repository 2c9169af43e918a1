//! All applications at a glance.

mod now;

use std::borrow::Cow;

use futures::future::try_join;
use http::Method;
use maud::{Markup, html};
use spindrift_api::{HealthBody, NewestRelease, OverviewApp, OverviewBody, OverviewNow, OverviewWarning};
use spindrift_core::{BasisPoints, RolloutState};
use spindrift_web::{Request, Response};

use super::history::{self, Recent};
use crate::plots::sparkline;
use crate::{Address, Context, MenuEntry, Result, parts, rollout};

/// Number of cards on a page.
const CARDS: u32 = 24;

/// `GET /console/`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let (page, search) = (query.get("page").unwrap_or("1"), query.get("search").unwrap_or_default());
    let call =
        Address::call("/telemetry/overview").with("limit", CARDS).with("page", page).with("search", search);
    let loaded = try_join(context.service.get::<OverviewBody>(&call), failing_store(context));
    let (me, (mut overview, failing)) = context.with_me(loaded).await?;
    overview.warnings.splice(..0, failing.as_deref().map(unreachable_warning));
    // Unhealthy releases have a section of their own.
    overview.warnings.retain(|warning| warning.kind != "unhealthy");
    let recent = Recent::of(std::mem::take(&mut overview.now.activity));
    let content = html! {
        (content(&overview, search, me.is_admin))
        // These are the newest entries, so every later deletion or renaming is among them.
        (recent.section("Recent activity", &Address::page(["history"]), me.is_admin, history::existing))
    };
    let page = context.page("Overview", &me, MenuEntry::Overview).with_frequent_refresh();
    Ok(page.with_policy(context.pictures()?).show(&content))
}

/// The store that the service cannot reach, as the service names it.
async fn failing_store(context: &Context<'_>) -> Result<Option<String>> {
    let answer =
        context.service.with_token(None).ask(Method::GET, &Address::call("/health"), None, &[]).await?;
    let health: HealthBody = answer.read()?;
    Ok(health.details.map(Cow::into_owned))
}

fn unreachable_warning(store: &str) -> OverviewWarning {
    OverviewWarning {
        kind: "storage_unreachable".to_owned(),
        app: None,
        text: format!("Storage unreachable: the {store} does not answer."),
        since_or_until: None,
    }
}

fn content(overview: &OverviewBody, search: &str, is_admin: bool) -> Markup {
    html! {
        h1 { "Overview" }
        (now::sections(&overview.now))
        (warnings(&overview.warnings))
        (sums(overview))
        @if overview.apps_total > u64::from(CARDS) || !search.is_empty() {
            form.filters method="get" action=(Address::page([])) role="search" {
                label { "Find an application" input type="search" name="search" value=(search); }
                button type="submit" { "Find" }
            }
        }
        @if overview.apps.is_empty() { (empty_text(search, is_admin)) }
        div.cards { @for app in &overview.apps { (card(app, &overview.now)) } }
        @let here = Address::page([]).with("search", search);
        (parts::pages(&here, overview.page.into(), overview.limit.into(), overview.total))
    }
}

fn empty_text(search: &str, is_admin: bool) -> Markup {
    if !search.is_empty() {
        return parts::empty(
            "No application name contains this.",
            &html! { a href=(Address::page([])) { "Show all" } },
        );
    }
    let next = html! {
        @if is_admin {
            a href=(Address::page(["setup", "start"])) { "Set up the first one" } ", then publish a release \
                from CI or here."
        }
        @else { "Your admin decides which applications you see." }
    };
    parts::empty("No applications yet.", &next)
}

fn warnings(warnings: &[OverviewWarning]) -> Markup {
    html! {
        @if !warnings.is_empty() {
            ul.warnings aria-label="Warnings" {
                @for warning in warnings {
                    li class=(warning.kind) {
                        @if let Some(app) = &warning.app { a href=(Address::page(["apps", app])) { (app) } ": " }
                        (warning.text)
                        @if let Some(moment) = &warning.since_or_until { " (" (parts::time(moment)) ")" }
                        @if warning.kind == "webhook_failing" { " " a href=(Address::page(["setup"])) { "Webhooks" } }
                    }
                }
            }
        }
    }
}

fn sums(overview: &OverviewBody) -> Markup {
    let failures = Address::page(["failures"]).with("status", "open");
    html! {
        dl.sums {
            div { dt { "Devices today" } dd { (parts::number(overview.devices_today)) } }
            div { dt { "Devices in 30 days" } dd { (parts::number(overview.devices)) } }
            div { dt { "Releases" } dd { (parts::number(overview.releases_total)) } }
            div { dt { "Open failures" } dd { a href=(failures) { (parts::number(overview.open_causes_total)) } } }
            div { dt { "Last maintenance" } dd {
                @match &overview.maintenance { Some(moment) => (parts::time(moment)), None => "not yet" }
            } }
        }
    }
}

/// A halted or failing release is nothing to be up to date with.
fn up_to_date(app: &OverviewApp, now: &OverviewNow) -> Markup {
    let is_halted = |release: &NewestRelease| rollout::state(&release.rollout_state) == RolloutState::Halted;
    let is_halted = app.newest.iter().any(is_halted);
    let is_failing = now.failing.iter().any(|release| release.app == app.name);
    html! {
        @if is_halted || is_failing {
            span title="The newest release is halted or fails" { "–" }
        } @else { (parts::share(app.devices_on_newest, app.devices)) }
    }
}

fn card(app: &OverviewApp, now: &OverviewNow) -> Markup {
    let page = Address::page(["apps", &app.name]);
    let failures = Address::page(["failures"]).with("app", &app.name).with("status", "open");
    let is_used = app.daily.iter().any(|devices| *devices > 0);
    html! {
        article.card {
            h2 {
                @if !app.logo.is_empty() { img.logo src=(app.logo) alt="" width="28" height="28" loading="lazy"; }
                a href=(page) { (app.name) }
                @if app.private { (parts::badge("", "private")) }
                (parts::signing(app.tuf, app.signed))
            }
            @if !app.description.is_empty() { p.description { (parts::brief(&app.description)) } }
            (newest(app))
            @if is_used { (sparkline(&app.daily, "devices by day over 30 days")) }
            dl.figures {
                div { dt { "Devices today" } dd { (parts::number(app.devices_today)) } }
                div { dt { "30 days" } dd { (parts::number(app.devices)) } }
                div {
                    dt title=(parts::UP_TO_DATE) { "Up to date" }
                    dd { (up_to_date(app, now)) }
                }
                div {
                    dt title="Causes of open failures" { "Failures" }
                    dd { a href=(failures) { (parts::number(app.open_causes)) } }
                }
            }
            p.hint {
                (parts::count(app.releases, "release"))
                @if app.drafts > 0 { ", " (parts::count(app.drafts, "draft")) }
            }
        }
    }
}

fn newest(app: &OverviewApp) -> Markup {
    let page = Address::page(["apps", &app.name]);
    html! {
        @if app.newest.is_empty() {
            p.hint { "Nothing published yet. " a href=(page) { "Publish the first release" } "." }
        } @else {
            ul.newest { @for release in &app.newest { li { (newest_of_channel(release)) } } }
        }
    }
}

fn newest_of_channel(release: &NewestRelease) -> Markup {
    let part = BasisPoints::new(release.basis_points).unwrap_or(BasisPoints::NONE);
    html! {
        @if !release.channel.is_empty() { span.channel { (release.channel) } " " }
        strong { (release.version) } " "
        (rollout::badge(part, &release.rollout_state)) " "
        (parts::time(&release.created_at))
    }
}
