//! The applications with signed metadata.

use futures::future;
use maud::{Markup, html};
use spindrift_api::{AppEntry, AppsBody};
use spindrift_core::{Action, Actor, Resource};
use spindrift_web::{Request, Response};

use super::advice::{self, advice};
use super::state::RepositoryState;
use crate::{Address, Context, MenuEntry, Result, catalog, parts, rights};

/// Applications on a page. Each needs several calls.
const ROWS: usize = 10;

/// `GET /console/trust`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let page: u32 = request.query()?.get("page").and_then(|page| page.parse().ok()).unwrap_or(1).max(1);
    let skipped = usize::try_from(page - 1).unwrap_or(usize::MAX).saturating_mul(ROWS);
    let list = catalog::brief_apps();
    let (me, apps) = context.with_me(context.service.get::<AppsBody>(&list)).await?;
    let actor = rights::actor(&me);
    let signed: Vec<&AppEntry> = apps.apps.iter().filter(|app| app.tuf).collect();
    let shown: Vec<&AppEntry> = signed.iter().skip(skipped).take(ROWS).copied().collect();
    let states = future::try_join_all(shown.iter().map(|app| state_of(context, app, &actor))).await?;
    let content = html! {
        h1 { "Trust" }
        p.hint {
            "Applications with signed metadata. People hold the keys, so everything here is done with "
            code { "spindrift trust" } "."
        }
        @if signed.is_empty() { (empty_text(&actor)) }
        @for (app, state) in shown.iter().zip(&states) { (entry(context, app, state.as_ref())) }
        (parts::pages(&Address::page(["trust"]), page.into(), ROWS as u64, signed.len() as u64))
    };
    Ok(context.page("Trust", &me, MenuEntry::Trust).with_rare_refresh().show(&content))
}

async fn state_of(context: &Context<'_>, app: &AppEntry, actor: &Actor) -> Result<Option<RepositoryState>> {
    if !actor.may(Action::Sign, Some(&app.id)) {
        return Ok(None);
    }
    RepositoryState::load(context, &app.app_name).await
}

fn empty_text(actor: &Actor) -> Markup {
    let next = html! {
        "With it, copies install only files that you have signed, even if the storage or this service is \
         compromised. "
        @if actor.may(Action::Create(Resource::App), None) {
            "Turn it on in the settings of an application, in " a href=(Address::page(["setup"])) { "Setup" } "."
        } @else { "Users who may edit an application can turn it on." }
    };
    parts::empty("No application has signed metadata.", &next)
}

fn entry(context: &Context<'_>, app: &AppEntry, state: Option<&RepositoryState>) -> Markup {
    let Some(state) = state else {
        return html! {
            section {
                h2 { (app.app_name) }
                p.hint { "Its signed metadata is shown to those who may edit the application." }
            }
        };
    };
    let waiting = state.waiting();
    let todo = advice(&state.facts(&app.app_name, &waiting), context.now);
    let files = [("Root", "root", &state.root), ("List of files", "targets", &state.targets)];
    html! {
        section {
            h2 { a href=(Address::page(["trust", &app.app_name])) { (app.app_name) } " " (state.badge()) }
            dl.pairs {
                @for (title, role, file) in files {
                    @if let Some(file) = file {
                        dt { (title) }
                        dd {
                            "version " (file.signed.version) ", until "
                            (advice::ending(role, &file.signed.expires, context.now))
                        }
                    }
                }
            }
            (advice::advice_list(&todo))
        }
    }
}
