//! An application: its releases, and their adoption.

mod adoption;
mod emergency;
mod filters;
mod releases;

pub(crate) use self::adoption::csv as adoption_csv;
pub(crate) use self::emergency::show as emergency;

use maud::{Markup, html};
use spindrift_api::{AdoptionBody, AppEntry, OverviewBody, SearchBody, TelemetryBody};
use spindrift_core::{Action, Actor, Resource};
use spindrift_web::{Request, Response};

use self::filters::ReleaseFilters;
use super::{device_groups, shutoffs};

use crate::{Address, Catalog, Context, KeptDays, MenuEntry, Result, address, parts, rights};

/// `GET /console/apps/{app}`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let name = address::segment(request.path(), 2)?;
    let filters = ReleaseFilters::of(&request.query()?);
    let (search, adoption, telemetry) =
        (filters.search(&name), filters.adoption(&name), filters.telemetry(&name).call());
    // One card: only the present of all applications is needed.
    let present = Address::call("/telemetry/overview").with("limit", 1);
    let (me, shutoffs, catalog, found, adoption, telemetry, present) = futures::join!(
        context.me(),
        shutoffs::load(context, &name),
        Catalog::load_for(context, &name),
        context.service.get::<SearchBody>(&search),
        context.service.get::<AdoptionBody>(&adoption),
        context.service.get::<TelemetryBody>(&telemetry),
        context.service.get::<OverviewBody>(&present),
    );
    let (me, catalog, found, failing) = (me?, catalog?, found?, present?.now.failing);
    let app = catalog.app_named(&name)?;
    let actor = rights::actor(&me);
    let may_edit = actor.may(Action::Edit(Resource::App), Some(&app.id));
    let (mut adoption, telemetry) = (adoption?, telemetry?);
    let not_kept = KeptDays::read(context)?.of_adoption(&mut adoption);
    let content = html! {
        (parts::trail(&[("Overview", Address::page([]))], &name))
        (head(app, &actor))
        (shutoffs::banner(&shutoffs?, may_edit))
        (releases::section(&name, &filters, &catalog, &found, &failing))
        (adoption::AdoptionSection { app: &name, filters: &filters, adoption: &adoption, telemetry: &telemetry }.show(not_kept))
    };
    let page = context.page(&name, &me, MenuEntry::Overview).with_frequent_refresh();
    Ok(page.with_policy(context.pictures()?).show(&content))
}

fn head(app: &AppEntry, actor: &Actor) -> Markup {
    html! {
        div.head {
            h1 {
                @if !app.logo.is_empty() { img.logo src=(app.logo) alt="" width="36" height="36"; }
                (app.app_name)
                @if app.private { (parts::badge("", "private")) }
                (parts::signing(app.tuf, app.signed))
            }
            @if !app.description.is_empty() { p { (app.description) } }
            p.actions {
                @if actor.may(Action::Upload, Some(&app.id)) {
                    a.button href=(Address::page(["apps", &app.app_name, "publish"])) { "Publish a release" }
                }
                a href=(Address::page(["telemetry"]).with("apps", &app.app_name)) { "Telemetry" }
                a href=(Address::page(["failures"]).with("app", &app.app_name)) { "Failures" }
                a href=(device_groups::page(&app.app_name)) { "Groups (testers)" }
                a href=(Address::page(["apps", &app.app_name, "client"])) { "What would a client get?" }
                a href=(Address::page(["setup", "snippets"]).with("app", &app.app_name)) { "Configure clients" }
                a href=(Address::page(["freezes"]).with("app", &app.app_name)) { "Freezes" }
                a href=(Address::page(["apps", &app.app_name, "emergency"])) { "A bad release is out" }
                @if actor.may(Action::Stop, Some(&app.id)) {
                    a.button.danger href=(Address::page(["apps", &app.app_name, "stop"])) { "Stop everything" }
                }
            }
        }
    }
}
