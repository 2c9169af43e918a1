//! The visitor's own logins.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{LoginEntry, LoginsBody, MessageBody};
use spindrift_web::{Request, Response};

use crate::table::{column, columns, extra, table};
use crate::{Address, Context, Notice, Result, address, parts, respond};

pub(super) fn section(context: &Context<'_>, logins: &LoginsBody) -> Markup {
    let head = html! { (columns(["Began", "Last used"])) (extra("Expires")) (column("Actions")) };
    let others = html! { button.plain type="submit" { "End all others" } };
    html! {
        section {
            h2 { "Your logins" }
            p.hint { "In browsers and of the command line. Each lasts a day; its use is noted by the hour." }
            (table("Your logins", &head, &html! {
                @for login in &logins.logins { (row(context, login)) }
            }))
            @if logins.logins.len() > 1 {
                (parts::form(&Address::page(["people", "logins", "others"]), &context.form_token(), &others))
            }
        }
    }
}

fn row(context: &Context<'_>, login: &LoginEntry) -> Markup {
    let end = html! { button.plain type="submit" { "End" } };
    let page = Address::page(["people", "logins", login.id.as_str()]);
    html! {
        tr {
            th scope="row" { (parts::time(&login.created_at)) }
            td { @match &login.last_used_at { Some(hour) => (parts::time(hour)), None => "not yet" } }
            td.extra { (parts::time(&login.expires_at)) }
            td {
                @if login.is_current { (parts::badge("", "this one")) }
                @else { (parts::form(&page, &context.form_token(), &end)) }
            }
        }
    }
}

/// `POST /console/people/logins/{id}`.
pub(super) async fn end(context: &Context<'_>, request: Request) -> Result<Response> {
    let call = Address::call("/logins").with("id", address::segment(request.path(), 3)?);
    let _ = context.form(request).await?;
    let _: MessageBody = context.service.delete(&call).await?;
    Ok(respond::see_other(&Notice::LoginEnded.add_to(super::pages::home())))
}

/// `POST /console/people/logins/others`.
pub(super) async fn end_others(context: &Context<'_>, request: Request) -> Result<Response> {
    let _ = context.form(request).await?;
    let call = Address::call("/logout/others");
    let _: MessageBody = context.service.send_json(Method::POST, &call, &serde_json::json!({})).await?;
    Ok(respond::see_other(&Notice::LoginEnded.add_to(super::pages::home())))
}
