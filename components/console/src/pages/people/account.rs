//! The visitor's own account.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{MessageBody, PasswordBody, WhoamiBody};
use spindrift_web::{Request, Response};

use super::sso;
use crate::{Address, Context, Cookie, MenuEntry, Notice, Problem, Result, parts, respond};

/// `provider`: the name of the provider for single sign-on.
pub(super) fn section(context: &Context<'_>, me: &WhoamiBody, provider: Option<&str>) -> Markup {
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
                dt { "Role" } dd { (role(me)) }
            }
            @if let Some(provider) = provider { (sso::of_account(context, me, provider)) }
            (parts::form(&Address::page(["logout"]), &token, &everywhere))
            p.hint { "Ends all your logins, also those of the command line." }
            details.choice {
                summary { "Change your password" }
                (password_form(context))
            }
            @if !me.is_admin { p.hint { "If you forget it, your admin can give you another one." } }
        }
    }
}

fn role(me: &WhoamiBody) -> Markup {
    html! {
        @match (&me.owner, &me.role) {
            (Some(owner), Some(role)) => { (role) " in the team of " (owner) }
            (Some(owner), None) => { "in the team of " (owner) }
            (None, _) => "owner",
        }
    }
}

fn password_form(context: &Context<'_>) -> Markup {
    let fields = html! {
        div.stack {
            label { "Present password"
                input type="password" name="current" autocomplete="current-password" required;
            }
            label { "New password" (parts::new_password("password", true, None, None)) }
            label { "Once more" (parts::new_password("again", true, None, None)) }
            p.hint { "All your logins end, and you log in again. CI tokens stay valid." }
            div { button type="submit" { "Change the password" } }
        }
    };
    parts::form(&Address::page(["people", "password"]), &context.form_token(), &fields)
}

/// `POST /console/people/password`.
pub(super) async fn change_password(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    let password = sent.get("password").unwrap_or_default();
    let me = context.me().await?;
    if password.is_empty() || sent.get("again") != Some(password) {
        let problem = Problem::new(StatusCode::BAD_REQUEST, "Write the same password in both fields.");
        return Ok(show_again(context, &me, problem));
    }
    let current_password = sent.get("current").map(ToOwned::to_owned);
    let body = PasswordBody { current_password, password: Some(password.to_owned()) };
    let changed: Result<MessageBody, _> =
        context.service.send_json(Method::POST, &Address::call("/password"), &body).await;
    if let Err(error) = changed {
        return Ok(show_again(context, &me, error.about_form()?));
    }
    let login = Notice::Password.add_to(Address::page(["login"]));
    let over = Cookie::Session.remove(context.is_secure());
    Ok(respond::with_cookie(respond::see_other(&login), over))
}

fn show_again(context: &Context<'_>, me: &WhoamiBody, problem: Problem) -> Response {
    let page = context.page("Change your password", me, MenuEntry::People).with_problem(Some(problem));
    page.with_parents(&super::pages::parent_pages()).show_titled(&password_form(context))
}
