//! The page of a release: a first screen with its state, and one of the parts below it.

use maud::{Markup, html};
use spindrift_api::OfferBody;
use spindrift_core::{Action, RolloutState};
use spindrift_web::{Request, Response};

use super::entered_values::EnteredValues;
use super::forms::Forms;
use super::loaded_release::LoadedRelease;
use super::numbers::Numbers;
use super::requested_release::{CHANNEL, RequestedRelease};
use super::rollout::{self, OfferView};
use super::tab::{self, ReleaseTab};
use super::tab_content::TabContent;
use super::{crash_free, health, promotion, requirements};
use crate::{Address, Context, MenuEntry, Result, parts, rights};

/// The part of the page that the visitor asks for, and the values of a form.
struct PageView {
    entered: EnteredValues,
    tab: Option<ReleaseTab>,
    edits_notes: bool,
}

/// `GET /console/apps/{app}/releases/{id}`.
pub(super) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let found = RequestedRelease::of(context, request).await?;
    let query = request.query()?;
    let edited = query.get("edit").filter(|_| found.may_edit());
    let entered = if edited == Some(requirements::EDITED) {
        EnteredValues::for_requirements(&query)
    } else {
        EnteredValues { plan: query.get("plan").map(ToOwned::to_owned), ..EnteredValues::default() }
    };
    let tab = ReleaseTab::of_address(&query);
    page(context, found, PageView { entered, tab, edits_notes: edited == Some("notes") }).await
}

/// The page after a refused form of the rollout, with the sent values.
pub(super) async fn show_again(
    context: &Context<'_>,
    (app, release): (&str, &str),
    channel: Option<&str>,
    entered: EnteredValues,
) -> Result<Response> {
    let found = RequestedRelease::load(context, app, release, channel).await?;
    let tab = ReleaseTab::of_form(entered.part);
    page(context, found, PageView { entered, tab, edits_notes: false }).await
}

const UNREADABLE: &str =
    "The failures cannot be read at the moment. You can still halt and pause the release.";

async fn page(context: &Context<'_>, found: RequestedRelease, view: PageView) -> Result<Response> {
    let loaded = LoadedRelease::load(context, found).await?;
    let (found, release, offer) = (&loaded.found, &loaded.release, loaded.offer()?);
    let stop = health::stop(loaded.recent.items(), &offer.channel, rollout_state(offer));
    let offered = OfferView {
        is_intermediate: found.release.intermediate,
        stop: stop.as_ref(),
        failures: loaded.failures(),
        doubt: loaded.doubt(),
        ..OfferView::of(release, offer, loaded.devices.all)
    };
    let (token, entered) = (context.form_token(), &view.entered);
    let channel = found.order_channel(release);
    let forms = Forms { page: found.address(), revision: offer.revision, channel, entered, token: &token };
    let stop_forms = found.may_stop().then_some(&forms);
    let forms = found.may_edit().then_some(&forms);
    // A release that nobody sees has no failures.
    let can_fail = found.app.reports && !offered.is_hidden();
    let tab = view.tab.unwrap_or(ReleaseTab::default_for(can_fail));
    let part = TabContent {
        loaded: &loaded,
        offered: &offered,
        forms,
        token: &token,
        edits_notes: view.edits_notes,
    };
    let part = part.show(context, tab).await?;
    let content = html! {
        (parts::trail(&found.parent_pages(), &found.release.version))
        (head(found, needs_fix(&offered, offer)))
        (promotion::channels(found, release))
        (rollout::state_bar(&offered, stop_forms))
        @if loaded.is_health_unreadable { (parts::problem(UNREADABLE)) }
        (first_screen(&loaded, &offered, entered, (forms, stop_forms), context))
        (tab::links(tab, &shown_page(found), &failing_badge(&offered)))
        div.part { (part) }
    };
    let title = format!("{} {}", found.app.app_name, found.release.version);
    let page = context.page(title, &found.me, MenuEntry::Overview);
    // A reload would lose the visitor's text. The address of a refused form is not a page.
    let is_kept = view.edits_notes || entered.refusal.is_some();
    let page = if is_kept { page } else { page.with_live_refresh() };
    let page = page.with_problem(entered.problem().cloned());
    Ok(page.with_policy(context.pictures()?).show(&content))
}

fn rollout_state(offer: &OfferBody) -> RolloutState {
    crate::rollout::state(&offer.rollout.state)
}

/// The page in the channel that is shown.
fn shown_page(found: &RequestedRelease) -> Address {
    let is_own = found.release.channel == found.own_channel;
    found.address().with(CHANNEL, if is_own { "" } else { &found.release.channel })
}

/// `stop_forms`: for visitors who may stop the release; `forms`: for those who may change its rollout in every way.
fn first_screen(
    loaded: &LoadedRelease,
    offered: &OfferView<'_>,
    entered: &EnteredValues,
    (forms, stop_forms): (Option<&Forms<'_>>, Option<&Forms<'_>>),
    context: &Context<'_>,
) -> Markup {
    let (found, health) = (&loaded.found, loaded.health.as_ref());
    let numbers = Numbers { offered, devices: &loaded.devices, health, app: &found.app, now: context.now };
    let now = health.and_then(|health| health.now.as_ref()).filter(|_| found.app.reports);
    html! {
        (numbers.show())
        div.cockpit {
            (rollout::section(offered, entered, forms))
            @if let (None, Some(forms)) = (forms, stop_forms) { (rollout::stops(offered, forms)) }
            @if let Some(now) = now { (crash_free::section(&found.release.version, now)) }
        }
    }
}

fn failing_badge(offered: &OfferView<'_>) -> Markup {
    html! {
        @if let Some(failures) = offered.failures.filter(|failures| failures.is_failing) {
            " " (parts::badge("bad", failures.word()))
        }
    }
}

/// Whether the release was halted, or is failing.
fn needs_fix(offered: &OfferView<'_>, offer: &OfferBody) -> bool {
    rollout_state(offer) == RolloutState::Halted
        || offered.failures.is_some_and(|failures| failures.is_failing)
}

fn head(found: &RequestedRelease, needs_fix: bool) -> Markup {
    let (app, release) = (&found.app, &found.release);
    let publish = Address::page(["apps", &app.app_name, "publish"]).with("channel", &found.own_channel);
    let add = publish.clone().with("version", &release.version);
    let fix = publish.with("cures", &release.version);
    html! {
        div.head.release-head {
            h1 {
                @if !app.logo.is_empty() { img.logo src=(app.logo) alt="" width="36" height="36"; }
                (app.app_name) " " (release.version)
                @if !release.channel.is_empty() { span.channel.where { (release.channel) } }
                @if release.critical { (parts::badge("warn", "critical")) }
                @if release.intermediate { (parts::badge("warn", "intermediate")) }
            }
            @if rights::actor(&found.me).may(Action::Upload, Some(&app.id)) {
                p.actions {
                    @if needs_fix { a href=(fix) { "Publish a fix" } }
                    a href=(add) { "Add files" }
                }
            }
        }
    }
}
