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
    // The card of this application. The present is that of all applications.
    let overview = Address::call("/telemetry/overview").with("app", &name);
    let (me, shutoffs, catalog, found, adoption, telemetry, overview) = futures::join!(
        context.me(),
        shutoffs::load(context, &name),
        Catalog::load_for(context, &name),
        context.service.get::<SearchBody>(&search),
        context.service.get::<AdoptionBody>(&adoption),
        context.service.get::<TelemetryBody>(&telemetry),
        context.service.get::<OverviewBody>(&overview),
    );
    let (me, catalog, found, overview) = (me?, catalog?, found?, overview?);
    let app = catalog.app_named(&name)?;
    let card = overview.apps.iter().find(|card| card.id == app.id);
    let missing = card.and_then(|card| card.missing.as_deref());
    let actor = rights::actor(&me);
    let may_edit = actor.may(Action::Edit(Resource::App), Some(&app.id));
    let (mut adoption, telemetry) = (adoption?, telemetry?);
    let not_kept = KeptDays::read(context)?.of_adoption(&mut adoption);
    let content = html! {
        (parts::trail(&[("Overview", Address::page([]))], &name))
        (head(app, &actor))
        (shutoffs::banner(&shutoffs?, may_edit))
        @if let Some(text) = missing { (missing_signals(&name, text)) }
        (releases::section(&name, &filters, &catalog, &found, &overview.now.failing))
        (adoption::AdoptionSection { app: &name, filters: &filters, adoption: &adoption, telemetry: &telemetry }.show(not_kept))
    };
    let page = context.page(&name, &me, MenuEntry::Overview).with_frequent_refresh();
    Ok(page.with_policy(context.pictures()?).show(&content))
}

/// The sentence about signals that copies do not send, with the way to a kit that sends them.
fn missing_signals(app: &str, text: &str) -> Markup {
    let clients = Address::page(["setup", "snippets"]).with("app", app);
    html! { p.hint { (text) " " a href={ (clients) "#kit" } { "Add a kit" } } }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_leads_to_the_kit() {
        let shown = missing_signals("My App", "Copies <b>.").into_string();
        let expected = "Copies &lt;b&gt;. <a href=\"/console/setup/snippets?app=My%20App#kit\">Add a kit</a>";
        assert!(shown.contains(expected), "{shown}");
    }
}
