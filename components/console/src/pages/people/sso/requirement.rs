//! An admin's choice whether the team may log in with passwords.

use http::Method;
use maud::{Markup, html};
use spindrift_api::{MessageBody, SsoRequirementBody, WhoamiBody};
use spindrift_web::{Query, Request, Response};

use crate::pages::people::pages::{home, sso as page_of};
use crate::pages::sso;
use crate::{Address, Confirm, ConsoleError, Context, MenuEntry, Notice, Problem, Result, respond};

/// The parameter, and the field of the form: `1` or `0`.
const PASSWORD_LOGIN: &str = "password_login";

fn page() -> Address {
    page_of(["requirement"])
}

/// The link that changes it. `is_off`: whether password logins are turned off now.
pub(in crate::pages::people) fn change_requirement(is_off: bool) -> Markup {
    let (text, allowed) =
        if is_off { ("Allow password logins", "1") } else { ("Turn off password logins", "0") };
    html! { a.button.plain href=(page().with(PASSWORD_LOGIN, allowed)) { (text) } }
}

/// Only a clear "no" turns them off.
fn is_allowed(form: &Query) -> bool {
    form.get(PASSWORD_LOGIN) != Some("0")
}

/// `GET /console/people/sso/requirement?password_login=`.
pub(super) async fn ask(context: &Context<'_>, request: &Request) -> Result<Response> {
    let allowed = is_allowed(&request.query()?);
    let me = context.me().await?;
    if me.is_admin { Ok(question(context, &me, allowed, None).await) } else { Err(ConsoleError::NoPage) }
}

async fn question(
    context: &Context<'_>,
    me: &WhoamiBody,
    allowed: bool,
    problem: Option<Problem>,
) -> Response {
    // Only a name in a sentence: the service decides about the change.
    let provider = sso::provider(context).await.ok().flatten();
    let name = provider.as_deref().unwrap_or("single sign-on");
    let (title, text, button) = if allowed {
        let text = "Team users can then log in with their password again.".to_owned();
        ("Allow password logins of the team?", text, "Allow password logins")
    } else {
        let text = format!("Team users then sign in with {name} or a passkey. You keep your password.");
        ("Turn off password logins of the team?", text, "Turn off password logins")
    };
    let confirm =
        Confirm { title, consequences: html! { p { (text) } }, button, action: page(), back: home() };
    let field = html! { input type="hidden" name=(PASSWORD_LOGIN) value=(if allowed { "1" } else { "0" }); };
    let page = context.page("Password logins of the team", me, MenuEntry::People).with_problem(problem);
    confirm.show_with(context, page, &field)
}

/// `POST /console/people/sso/requirement`.
pub(super) async fn set(context: &Context<'_>, request: Request) -> Result<Response> {
    let allowed = is_allowed(&context.form(request).await?);
    let body = SsoRequirementBody { password_login: Some(allowed) };
    let call = Address::call("/sso/requirement");
    match context.service.send_json::<MessageBody>(Method::POST, &call, &body).await {
        Ok(_) => Ok(respond::see_other(&Notice::Saved.add_to(home()))),
        Err(error) => {
            let problem = error.about_form()?;
            Ok(question(context, &context.me().await?, allowed, Some(problem)).await)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_link_asks_for_the_other_state() {
        for (is_off, text) in [(false, "Turn off password logins"), (true, "Allow password logins")] {
            let link = change_requirement(is_off).into_string();
            assert!(link.contains(text), "{link}");
            let (_, query) = link.split_once('?').unwrap();
            let (query, _) = query.split_once('"').unwrap();
            assert_eq!(is_allowed(&Query::parse(query).unwrap()), is_off);
        }
    }
}
