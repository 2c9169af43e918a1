//! All applications, channels, platforms and architectures.

use maud::{Markup, html};
use spindrift_api::AppEntry;
use spindrift_core::{Action, Actor, Resource, encode_segments};
use spindrift_web::Response;

use super::kind::{SetupItem, SetupKind};
use super::unnamed_devices::UnnamedDevices;
use super::webhooks;
use crate::table::{column, columns, extra, table};
use crate::{Address, Catalog, Context, MenuEntry, Result, parts, rights};

/// `GET /console/setup`.
pub(super) async fn show(context: &Context<'_>) -> Result<Response> {
    let loaded = async {
        Ok(futures::join!(
            Catalog::load_described(context),
            UnnamedDevices::load(context),
            webhooks::load(context)
        ))
    };
    let (me, (catalog, unnamed, webhooks)) = context.with_me(loaded).await?;
    let (catalog, webhooks) = (catalog?, webhooks?);
    let actor = rights::actor(&me);
    let content = html! {
        div.head {
            h1 { "Setup" }
            p.actions { a href=(Address::page(["setup", "snippets"])) { "Configure clients and pipelines" } }
        }
        (apps(&catalog, &actor))
        @for kind in SetupKind::ALL { (dimension(kind, &catalog, &actor, &unnamed)) }
        @if me.is_admin { (webhooks::section(webhooks.as_ref())) }
    };
    Ok(context.page("Setup", &me, MenuEntry::Setup).with_policy(context.pictures()?).show(&content))
}

fn apps(catalog: &Catalog, actor: &Actor) -> Markup {
    let may_create = actor.may(Action::Create(Resource::App), None);
    let head = html! {
        (column("Name")) (extra("Description")) (column("Settings")) (extra("Changed")) (column("Actions"))
    };
    html! {
        section {
            h2 { "Applications" }
            @if catalog.apps.is_empty() {
                (parts::empty("No applications yet.", &html! {
                    @if may_create {
                        "Everything is published for an application: "
                        a href=(Address::page(["setup", "start"])) { "set up the first one" } "."
                    }
                    @else { "Your admin decides which applications you see." }
                }))
            } @else {
                (table("Applications", &head, &html! { @for app in &catalog.apps { (app_row(app, actor)) } }))
            }
            @if may_create {
                p { a.button href=(Address::page(["setup", "apps", "new"])) { "Create an application" } }
            }
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
                @if app.cdn_edge { (parts::badge("", "cdn")) " " }
                @if app.get_page { (parts::badge("", "download page")) }
            }
            td.extra { (parts::time(&app.updated_at)) }
            td { div.links {
                @if actor.may(Action::Edit(Resource::App), Some(&app.id)) { a href=(page(&[])) { "Edit" } }
                @if actor.may(Action::Delete(Resource::App), Some(&app.id)) { a href=(page(&["delete"])) { "Delete" } }
                a href=(Address::page(["setup", "snippets"]).with("app", &app.app_name)) { "Configure" }
                @if app.get_page {
                    a href=(encode_segments(["", "get", &app.owner, &app.app_name])) { "Download page" }
                }
            } }
        }
    }
}

fn dimension(kind: SetupKind, catalog: &Catalog, actor: &Actor, unnamed: &UnnamedDevices) -> Markup {
    let items = kind.items(catalog);
    let resource = kind.resource();
    let head = match kind {
        SetupKind::Channel => columns(["Name", "Includes", "Actions"]),
        SetupKind::Platform => columns(["Name", "Updaters", "Actions"]),
        SetupKind::Arch => columns(["Name", "Actions"]),
    };
    html! {
        section {
            h2 { (kind.title()) }
            @if items.is_empty() {
                (parts::empty(&format!("No {}s yet.", kind.noun()), &html! {
                    "Releases need none. Once you have created one, every upload must name one. "
                    "Installed copies that name none keep their answers."
                }))
            } @else {
                (unnamed.text(kind, &items))
                (table(kind.title(), &head, &html! { @for item in &items { (row(kind, item, actor)) } }))
            }
            @if actor.may(Action::Create(resource), None) {
                p { a.button.plain href=(kind.page(&["new"])) { "Create " (article(kind)) " " (kind.noun()) } }
            }
        }
    }
}

pub(super) fn article(kind: SetupKind) -> &'static str {
    if kind == SetupKind::Arch { "an" } else { "a" }
}

fn row(kind: SetupKind, item: &SetupItem, actor: &Actor) -> Markup {
    let id = item.id.as_ref();
    let segment = id.map(ToString::to_string).unwrap_or_default();
    html! {
        tr {
            th scope="row" { (item.name) @if item.is_default { " " (parts::badge("", "default")) } }
            @if kind == SetupKind::Channel { td { (item.includes.join(", ")) } }
            @if kind == SetupKind::Platform {
                td { @for (i, updater) in item.updaters.iter().enumerate() {
                    @if i > 0 { ", " }
                    (updater.updater) @if updater.default { " (default)" }
                } }
            }
            td { div.links {
                @if actor.may(Action::Edit(kind.resource()), id) { a href=(kind.page(&[&segment])) { "Edit" } }
                @if actor.may(Action::Delete(kind.resource()), id) {
                    a href=(kind.page(&[&segment, "delete"])) { "Delete" }
                }
            } }
        }
    }
}
