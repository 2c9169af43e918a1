//! The page of a release.

use futures::future::{FutureExt as _, try_join5};
use maud::{Markup, html};
use spindrift_api::{
    ChangelogEntry, DownloadCount, FailuresByVersionBody, OfferBody, ReleaseBody, ReleaseEntry,
    ReleaseHealthBody,
};
use spindrift_core::{Action, Resource};
use spindrift_web::{Request, Response};

use super::devices::Devices;
use super::entered_values::EnteredValues;
use super::forms::Forms;
use super::health::HealthSection;
use super::requested_release::RequestedRelease;
use super::{
    addresses, artifacts, conditions, failures, health, offer, previous, promotion, receipt, requirements,
    rollout,
};
use crate::pages::application::state;
use crate::pages::history::Recent;
use crate::pages::{client, device_groups};
use crate::{Address, Catalog, Context, DimensionNames, MenuEntry, Result, parts, rights};

/// Number of history entries on the page.
const RECENT: u32 = 20;

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
    page(context, &found, &entered, edited == Some("notes")).await
}

/// The page after a refused form of the rollout, with the sent values.
pub(super) async fn show_again(
    context: &Context<'_>,
    (app, release): (&str, &str),
    channel: Option<&str>,
    entered: EnteredValues,
) -> Result<Response> {
    let found = RequestedRelease::load(context, app, release, channel).await?;
    page(context, &found, &entered, false).await
}

async fn page(
    context: &Context<'_>,
    found: &RequestedRelease,
    entered: &EnteredValues,
    edits_notes: bool,
) -> Result<Response> {
    let (app, version) = (&found.app.app_name, &found.release.version);
    let failed = Address::call("/reports/versions").with("app", app);
    let offers = Address::call("/releases").with_segment(found.release.id.as_str());
    let loaded = try_join5(
        Devices::of(context, &found.release),
        previous::previous_version(context, &found.release),
        context.service.get::<FailuresByVersionBody>(&failed),
        Catalog::load_for(context, app),
        Recent::load(context, found.release.id.as_str(), RECENT).map(Ok),
    );
    let (release, health, groups, receipt, (devices, before, failed, catalog, recent)) = try_join5(
        context.service.get::<ReleaseBody>(&offers),
        health::load(context, &found.release),
        device_groups::load(context, app),
        receipt::load(context, &found.release),
        loaded,
    )
    .await?;
    let names = DimensionNames::load(context, &found.me, &catalog, app).await?;
    let before = before.as_deref();
    let versions: Vec<String> = before.into_iter().chain([version.as_str()]).map(ToOwned::to_owned).collect();
    let token = context.form_token();
    let (shown, channel) = (found.offer(&release)?, found.order_channel(&release));
    let forms = Forms { page: found.address(), revision: shown.revision, channel, entered, token: &token };
    let forms = found.may_edit().then_some(&forms);
    let rollout =
        rollout::RolloutSection { found, release: &release, devices: &devices, entered, forms }.show()?;
    let history = Address::page(["history"]).with("release", &found.release.id);
    let content = html! {
        (parts::trail(&found.parent_pages(), version))
        (head(found))
        (promotion::channels(found, &release))
        (verdict(context, found, (&release, shown), health.as_ref(), &token))
        (rollout)
        (promotion::section(found, &release, &catalog.channels, forms))
        (sums(&found.release, &devices))
        (receipt::section(&receipt))
        (artifacts::section(found))
        (offer::section(found, &token))
        (conditions::sections(found, &release, shown, &groups, forms))
        (notes(found, edits_notes, &token))
        (addresses::section(&context.api_url, found, &catalog.platforms))
        (client::section(app, &client::ClientForm::for_release(&found.release, before), &names, &versions))
        (failures::section(&found.app, version, before, &failed.versions, health.as_ref()))
        (recent.section("History", &history, found.me.is_admin, |_, _| None))
        @if found.may_delete() {
            section {
                h2 { "Delete" }
                p { a.button.danger href=(found.address().with_segment("delete")) { "Delete this release" } }
            }
        }
    };
    let page = context.page(format!("{app} {version}"), &found.me, MenuEntry::Overview);
    // A reload would lose the visitor's text. The address of a refused form is not a page.
    let is_kept = edits_notes || entered.refusal.is_some();
    let page = if is_kept { page } else { page.with_frequent_refresh() };
    let page = page.with_problem(entered.problem().cloned());
    Ok(page.with_policy(context.pictures()?).show(&content))
}

/// The health of a release that is being rolled out.
fn verdict(
    context: &Context<'_>,
    found: &RequestedRelease,
    (release, offer): (&ReleaseBody, &OfferBody),
    health: Option<&ReleaseHealthBody>,
    token: &str,
) -> Markup {
    let named = (&release.id, release.version.as_str());
    let health = health.and_then(|body| HealthSection::of(named, offer, body, context.now));
    let halt = found
        .may_edit()
        .then(|| rollout::halt(&found.address(), found.order_channel(release).as_deref(), token));
    html! { @if let Some(health) = health { (health.show(halt.as_ref())) } }
}

fn head(found: &RequestedRelease) -> Markup {
    let (app, release) = (&found.app, &found.release);
    let publish = Address::page(["apps", &app.app_name, "publish"])
        .with("version", &release.version)
        .with("channel", &found.own_channel);
    html! {
        div.head {
            h1 {
                @if !app.logo.is_empty() { img.logo src=(app.logo) alt="" width="36" height="36"; }
                (app.app_name) " " (release.version)
            }
            p.actions {
                @if !release.channel.is_empty() { span.channel { (release.channel) } }
                (state(release))
                @if rights::actor(&found.me).may(Action::Upload(Resource::App), Some(&app.id)) {
                    a href=(publish) { "Add files" }
                }
            }
        }
    }
}

fn sums(release: &ReleaseEntry, devices: &Devices) -> Markup {
    let size = release.artifacts.iter().map(|artifact| artifact.size).sum();
    html! {
        dl.sums {
            div {
                dt { "Devices on it, 30 days" }
                dd { (parts::number(devices.on_this)) " of " (parts::number(devices.all)) }
            }
            @if !devices.downloads.is_empty() {
                div { dt { "Downloads reported, 30 days" } dd { (downloads(&devices.downloads)) } }
            }
            div { dt { "Artifacts" } dd { (release.artifacts.len()) } }
            div { dt { "Size" } dd { (parts::size(size)) } }
            div { dt { "Created" } dd { (parts::time(&release.created_at)) } }
        }
    }
}

/// Clients report downloads only if their application is built to do so.
fn downloads(counts: &[DownloadCount]) -> String {
    let of = |count: &DownloadCount| format!("{} {}", parts::number(count.count), count.way_name());
    counts.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// The notes, or the form that changes them. Never both: they may be long.
fn notes(found: &RequestedRelease, is_edited: bool, token: &str) -> Markup {
    let text = found.release.changelog.iter().map(|entry: &ChangelogEntry| entry.changes.as_str()).next();
    html! {
        section #notes {
            h2 { "Release notes" }
            @if is_edited {
                (parts::form(&found.address(), token, &notes_fields(found, text.unwrap_or_default())))
            } @else {
                @match text {
                    Some(text) => (crate::markdown::render(text)),
                    None => p.hint { "None." },
                }
                @if found.may_edit() {
                    p { a href={ (found.address().with("edit", "notes")) "#notes" } { "Edit the notes" } }
                }
            }
        }
    }
}

fn notes_fields(found: &RequestedRelease, text: &str) -> Markup {
    html! {
        input type="hidden" name="part" value="notes";
        div.stack {
            label { "Release notes (Markdown)" textarea name="changelog" rows="10" { (text) } }
            div.row { button type="submit" { "Save the notes" } a href=(found.address()) { "Cancel" } }
        }
    }
}
