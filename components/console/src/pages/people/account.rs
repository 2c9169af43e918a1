//! The visitor's own account.

use http::{Method, StatusCode, header};
use maud::{Markup, html};
use spindrift_api::{AdminUpdateBody, MessageBody, WhoamiBody};
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use crate::address::Address;
use crate::context::Context;
use crate::cookies::Cookie;
use crate::error::ConsoleError;
use crate::layout::Place;
use crate::notice::Notice;
use crate::parts;
use crate::respond::{self, Policy};

pub(super) fn section<P: Ports>(context: &Context<'_, P>, me: &WhoamiBody) -> Markup {
    let token = context.form_token();
    let everywhere = html! {
        input type="hidden" name="everywhere" value="1";
        button.plain type="submit" { "Log out everywhere" }
    };
    html! {
        section {
            h2 { "You" }
            dl.pairs {
                dt { "Name" } dd { (me.username) }
                dt { "Role" } dd { @match &me.owner { Some(owner) => { "in the team of " (owner) } None => "admin" } }
            }
            (parts::form(&Address::page(["logout"]), &token, &everywhere))
            p.hint { "Ends all your logins, also those of the command line." }
            @if me.is_admin {
                details.choice {
                    summary { "Change your password" }
                    (password_form(context))
                }
            } @else {
                p.hint { "Your admin can give you another password." }
            }
        }
    }
}

fn password_form<P: Ports>(context: &Context<'_, P>) -> Markup {
    let fields = html! {
        div.stack {
            label { "New password" (parts::new_password("password", true, None, None)) }
            label { "Once more" (parts::new_password("again", true, None, None)) }
            p.hint { "All your logins end, and you log in again. CI tokens stay valid." }
            div { button type="submit" { "Change the password" } }
        }
    };
    parts::form(&Address::page(["people", "password"]), &context.form_token(), &fields)
}

/// `POST /console/people/password`.
pub(super) async fn change_password<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let sent = context.form(request).await?;
    let password = sent.get("password").unwrap_or_default();
    let me = context.me().await?;
    if password.is_empty() || sent.get("again") != Some(password) {
        return Ok(again(context, &me, StatusCode::BAD_REQUEST, "Write the same password in both fields."));
    }
    let (id, password) = (Some(me.id.to_string()), Some(password.to_owned()));
    let body = AdminUpdateBody { id, username: None, password, force: None };
    let changed: Result<MessageBody, _> =
        context.service.send_json(Method::POST, &Address::call("/admin/update"), &body).await;
    if let Err(error) = changed {
        let (status, problem) = error.about_form()?;
        return Ok(again(context, &me, status, &problem));
    }
    let mut answer = respond::see_other(&Notice::Password.on(Address::page(["login"])));
    let over = Cookie::Session.remove(context.is_secure());
    answer.headers_mut().extend(over.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok(answer)
}

fn again<P: Ports>(context: &Context<'_, P>, me: &WhoamiBody, status: StatusCode, problem: &str) -> Response {
    let content = html! {
        (super::places::trail("Change your password"))
        h1 { "Change your password" }
        p.problem role="alert" { (problem) }
        (password_form(context))
    };
    let frame = context.frame("Change your password", me, Some(Place::People), None);
    respond::page(status, frame.around(&content), &Policy::default())
}
