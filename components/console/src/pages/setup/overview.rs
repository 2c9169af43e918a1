//! All applications, channels, platforms and architectures.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::AppEntry;
use spindrift_core::{Action, Actor, Resource};
use spindrift_service::Ports;
use spindrift_web::Response;

use super::kind::{Item, Kind};
use super::unnamed::Unnamed;
use crate::address::Address;
use crate::catalog::Catalog;
use crate::context::Context;
use crate::error::ConsoleError;
use crate::layout::Place;
use crate::parts;
use crate::respond;
use crate::rights;

/// `GET /console/setup`.
pub(super) async fn show<P: Ports>(context: &Context<'_, P>) -> Result<Response, ConsoleError> {
    let (me, catalog, unnamed) =
        futures::join!(context.me(), Catalog::load_described(context), Unnamed::load(context));
    let (me, catalog) = (me?, catalog?);
    let actor = rights::actor(&me);
    let content = html! {
        div.head {
            h1 { "Setup" }
            p.actions { a href=(Address::page(["setup", "snippets"])) { "Configure clients and pipelines" } }
        }
        (apps(&catalog, &actor))
        @for kind in Kind::ALL { (dimension(kind, &catalog, &actor, &unnamed)) }
    };
    let frame = context.frame("Setup", &me, Some(Place::Setup), None);
    Ok(respond::page(StatusCode::OK, frame.around(&content), &context.pictures()?))
}

fn apps(catalog: &Catalog, actor: &Actor) -> Markup {
    let may_create = actor.may(Action::Create(Resource::App), None);
    let create =
        html! { a.button href=(Address::page(["setup", "apps", "new"])) { "Create an application" } };
    html! {
        section {
            h2 { "Applications" }
            @if catalog.apps.is_empty() {
                (parts::empty("No applications yet.", &html! {
                    @if may_create { "Everything is published for an application: create the first one." }
                    @else { "Your admin decides which applications you see." }
                }))
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Applications" {
                    table {
                        thead { tr {
                            th scope="col" { "Name" } th.extra scope="col" { "Description" } th scope="col" { "Settings" }
                            th.extra scope="col" { "Changed" } th scope="col" { "Actions" }
                        } }
                        tbody { @for app in &catalog.apps { (app_row(app, actor)) } }
                    }
                }
            }
            @if may_create { p { (create) } }
        }
    }
}

fn app_row(app: &AppEntry, actor: &Actor) -> Markup {
    let page = |below: &[&str]| {
        Address::page(["setup", "apps", app.id.as_str()].into_iter().chain(below.iter().copied()))
    };
    html! {
        tr {
            th scope="row" {
                @if !app.logo.is_empty() { img.logo src=(app.logo) alt="" width="20" height="20" loading="lazy"; " " }
                a href=(Address::page(["apps", &app.app_name])) { (app.app_name) }
            }
            td.words.extra { (parts::brief(&app.description)) }
            td {
                @if app.private { (parts::badge("", &format!("private: {}", app.download_mode))) " " }
                (parts::signing(app.tuf, app.signed)) " "
                @if app.reports { (parts::badge("", "reports")) " " }
                @if app.cdn_edge { (parts::badge("", "cdn")) }
            }
            td.extra { (parts::time(&app.updated_at)) }
            td { div.links {
                @if actor.may(Action::Edit(Resource::App), Some(&app.id)) { a href=(page(&[])) { "Edit" } }
                @if actor.may(Action::Delete(Resource::App), Some(&app.id)) { a href=(page(&["delete"])) { "Delete" } }
                a href=(Address::page(["setup", "snippets"]).with("app", &app.app_name)) { "Configure" }
            } }
        }
    }
}

fn dimension(kind: Kind, catalog: &Catalog, actor: &Actor, unnamed: &Unnamed) -> Markup {
    let items = kind.items(catalog);
    let resource = kind.resource();
    html! {
        section {
            h2 { (kind.title()) }
            @if items.is_empty() { (parts::empty(&format!("No {}s yet.", kind.noun()), &html! {
                "Releases need none. Once you have created one, every upload must name one. Installed copies that name none keep their answers."
            })) } @else {
                (unnamed.told(kind, &items))
                div.scroll tabindex="0" role="region" aria-label=(kind.title()) {
                    table {
                        thead { tr {
                            th scope="col" { "Name" }
                            @if kind == Kind::Channel { th scope="col" { "Includes" } }
                            @if kind == Kind::Platform { th scope="col" { "Updaters" } }
                            th scope="col" { "Actions" }
                        } }
                        tbody { @for item in &items { (row(kind, item, actor)) } }
                    }
                }
            }
            @if actor.may(Action::Create(resource), None) {
                p { a.button.plain href=(kind.page(&["new"])) { "Create " (article(kind)) " " (kind.noun()) } }
            }
        }
    }
}

pub(super) fn article(kind: Kind) -> &'static str {
    if kind == Kind::Arch { "an" } else { "a" }
}

fn row(kind: Kind, item: &Item, actor: &Actor) -> Markup {
    let id = item.id.as_ref();
    let segment = id.map(ToString::to_string).unwrap_or_default();
    html! {
        tr {
            th scope="row" { (item.name) @if item.is_default { " " (parts::badge("", "default")) } }
            @if kind == Kind::Channel { td { (item.includes.join(", ")) } }
            @if kind == Kind::Platform {
                td { @for (i, updater) in item.updaters.iter().enumerate() {
                    @if i > 0 { ", " }
                    (updater.updater) @if updater.default { " (default)" }
                } }
            }
            td { div.links {
                @if actor.may(Action::Edit(kind.resource()), id) { a href=(kind.page(&[&segment])) { "Edit" } }
                @if actor.may(Action::Delete(kind.resource()), id) { a href=(kind.page(&[&segment, "delete"])) { "Delete" } }
            } }
        }
    }
}
