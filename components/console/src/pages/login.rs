//! Logs in and out.

use http::{HeaderValue, Method, StatusCode, header};
use maud::html;
use spindrift_api::{LoginAnswer, LoginBody, MessageBody, SignupState};
use spindrift_service::log;
use spindrift_web::{Request, Response};

use crate::cookies::SessionToken;
use crate::{Address, ConsoleError, ConsolePage, Context, Cookie, Problem, Result, parts, respond};

/// For a form that was open for longer than its cookie is valid, or beside another one.
pub(super) const TOO_OLD: &str = "this page had expired: send it again";

/// The login form. `wanted`: the page to show afterwards.
pub(crate) fn address(wanted: &str) -> Address {
    let address = Address::page(["login"]);
    if wanted == Address::page([]).as_str() { address } else { address.with("then", wanted) }
}

/// Accepts only pages of the console: another address could send people to another site after their
/// login.
fn own_page(wanted: &str) -> Option<&str> {
    let is_path = |b: u8| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"' | b'<' | b'>');
    let path = wanted.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let has_step = path.split('/').any(|segment| matches!(segment, "." | ".."));
    (wanted.starts_with("/console/") && !has_step && wanted.bytes().all(is_path)).then_some(wanted)
}

/// `GET /console/login`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let state: SignupState = context.service.with_token(None).get(&Address::call("/signup")).await?;
    if !state.has_admin {
        return Ok(respond::see_other(&Address::page(["signup"])));
    }
    Ok(form(context, query.get("then").unwrap_or_default(), None))
}

/// The form, with the problem of the previous attempt.
fn form(context: &Context<'_>, then: &str, problem: Option<Problem>) -> Response {
    let fields = html! {
        input type="hidden" name="then" value=(then);
        label { "Name" input type="text" name="username" autocomplete="username" required autofocus; }
        label { "Password" input type="password" name="password" autocomplete="current-password" required; }
        button type="submit" { "Log in" }
    };
    let content = html! {
        (parts::form(&Address::page(["login"]), &context.form_token(), &fields))
        p.hint { "A new service? " a href=(Address::page(["signup"])) { "Create an admin" } "." }
    };
    let page = ConsolePage::new("Log in").with_notice(context.notice).with_problem(problem);
    page.show_alone("Log in to Spindrift", &content)
}

/// `POST /console/login`.
pub(crate) async fn login(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let then = sent.get("then").unwrap_or_default();
    if context.require_token_of(&sent).is_err() {
        return Ok(form(context, then, Some(Problem::new(StatusCode::FORBIDDEN, TOO_OLD))));
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body = LoginBody { username: value("username"), password: value("password") };
    match start_session(context, &body, own_page(then).unwrap_or(Address::page([]).as_str())).await {
        Err(error) => Ok(form(context, then, Some(error.about_form()?))),
        logged_in => logged_in,
    }
}

/// Logs in, and redirects to a page that [`own_page`] has accepted.
pub(super) async fn start_session(context: &Context<'_>, body: &LoginBody, page: &str) -> Result<Response> {
    let LoginAnswer { token } =
        context.service.with_token(None).send_json(Method::POST, &Address::call("/login"), body).await?;
    let token = SessionToken::new(&token)
        .ok_or_else(|| ConsoleError::NoAnswer("the login token is not a valid cookie value".to_owned()))?;
    let answer = respond::with_cookie(see_path(page), Cookie::Session.set(&token, context.is_secure()));
    Ok(respond::with_cookie(answer, Cookie::Visitor.remove(context.is_secure())))
}

/// Redirects to a page that [`own_page`] has accepted.
fn see_path(path: &str) -> Response {
    let mut answer = respond::see_other(&Address::page([]));
    if let Ok(path) = HeaderValue::try_from(path) {
        answer.headers_mut().insert(header::LOCATION, path);
    }
    answer
}

/// `POST /console/logout`. With `everywhere`, ends all logins of this user.
pub(crate) async fn logout(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    let is_everywhere = sent.get("everywhere").is_some();
    let call = if is_everywhere { "/logout/all" } else { "/logout" };
    let ended: Result<MessageBody, _> =
        context.service.send_json(Method::POST, &Address::call(call), &serde_json::json!({})).await;
    match ended {
        // The login may have ended already.
        Ok(_) | Err(ConsoleError::LoggedOut) => {}
        Err(error) if is_everywhere => return Err(error),
        // Without the cookie, this browser is logged out all the same.
        Err(error) => log::warn("a login was not ended", &error),
    }
    let over = Cookie::Session.remove(context.is_secure());
    Ok(respond::with_cookie(respond::see_other(&Address::page(["login"])), over))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_pages_follow_a_login() {
        for own in ["/console/", "/console/apps/notes?page=2", "/console/apps/a.b..c?x=../.."] {
            assert_eq!(own_page(own), Some(own));
        }
        for other in [
            "",
            "https://evil.example/",
            "//evil.example",
            "/console",
            "/\\evil",
            "/console/\r\nX: y",
            "/apps",
            "/console/../download?key=x",
            "/console/apps/%2e%2E/../../download",
        ] {
            assert_eq!(own_page(other), None, "{other}");
        }
    }
}
