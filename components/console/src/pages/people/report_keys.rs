//! Report keys. A form requests a key, which is then shown once.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{KeyBody, RegenerateBody, ReportKeyEntry, ReportKeysBody};
use spindrift_core::{Action, Actor, Resource};
use spindrift_web::{Request, Response};

use super::secret::{SecretKind, hand_over};
use crate::table::{column, extra, table};
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Result, address, parts};

fn page(app_id: &str, below: &[&str]) -> Address {
    Address::page(["people", "report-keys", app_id].into_iter().chain(below.iter().copied()))
}

pub(super) fn section(context: &Context<'_>, keys: &ReportKeysBody, actor: &Actor) -> Markup {
    let setup = Address::page(["setup"]);
    let head = html! { (column("Application")) (extra("Changed")) (column("Key")) };
    html! {
        section {
            h2 { "Report keys" }
            @if keys.report_keys.is_empty() {
                (parts::empty("No application takes reports.", &html! {
                    "Turn them on in the settings of an application, in " a href=(setup) { "Setup" } "."
                }))
            } @else {
                p.hint { "Copies of an application report failures with its key. It is built into them." }
                (table("Report keys", &head, &html! {
                    @for key in &keys.report_keys { (row(context, key, actor)) }
                }))
            }
        }
    }
}

fn row(context: &Context<'_>, key: &ReportKeyEntry, actor: &Actor) -> Markup {
    let show =
        html! { button.plain type="submit" aria-label={ "Show the key of " (key.app_name) } { "Show" } };
    html! {
        tr {
            th scope="row" { (key.app_name) }
            td.extra { (parts::time(&key.updated_at)) }
            td { div.links {
                (parts::form(&page(key.app_id.as_str(), &[]), &context.form_token(), &show))
                @if actor.may(Action::Edit(Resource::App), Some(&key.app_id)) {
                    a href=(page(key.app_id.as_str(), &["replace"])) { "Replace" }
                }
            } }
        }
    }
}

async fn find(context: &Context<'_>, app_id: &str) -> Result<ReportKeyEntry> {
    let keys: ReportKeysBody = context.service.get(&Address::call("/report-keys/list")).await?;
    keys.report_keys.into_iter().find(|key| key.app_id.as_str() == app_id).ok_or(ConsoleError::NoPage)
}

/// `POST /console/people/report-keys/{app}`: redirects to the page that shows the key.
pub(super) async fn show(context: &Context<'_>, request: Request) -> Result<Response> {
    let app_id = address::segment(request.path(), 3)?;
    let _ = context.form(request).await?;
    let key = find(context, &app_id).await?;
    hand_over(context, SecretKind::ReportKey, &key.app_name, &key.key_value)
}

/// `GET /console/people/report-keys/{app}/replace`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let app_id = address::segment(request.path(), 3)?;
    let (me, key) = context.with_me(find(context, &app_id)).await?;
    let confirm = Confirm {
        title: "Replace this report key?",
        consequences: html! {
            p {
                "The key of " strong { (key.app_name) } " ends at once: "
                "copies that have it cannot report anything until they get the new one."
            }
        },
        button: "Replace the key",
        action: page(&app_id, &["replace"]),
        back: super::pages::home(),
    };
    Ok(confirm.show(context, context.page("Replace a report key", &me, MenuEntry::People)))
}

/// `POST /console/people/report-keys/{app}/replace`: redirects to the page that shows the new key.
pub(super) async fn replace(context: &Context<'_>, request: Request) -> Result<Response> {
    let app_id = address::segment(request.path(), 3)?;
    let _ = context.form(request).await?;
    let old = find(context, &app_id).await?;
    let body = RegenerateBody { app_id: Some(app_id), key_value: None };
    let call = Address::call("/report-keys/regenerate");
    let made: KeyBody = context.service.send_json(Method::POST, &call, &body).await?;
    hand_over(context, SecretKind::NewReportKey, &old.app_name, &made.key_value)
}
