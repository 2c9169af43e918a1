//! Logging in and out.

use http::{HeaderValue, Method, StatusCode, header};
use maud::{Markup, html};
use spindrift_api::{LoginAnswer, LoginBody, MessageBody, SignupState};
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use crate::address::Address;
use crate::context::Context;
use crate::cookies::{Cookie, SessionToken};
use crate::error::ConsoleError;
use crate::layout::Frame;
use crate::parts;
use crate::respond::{self, Policy};

/// A form that was open for longer than its cookie lasts, or beside another one.
pub(super) const TOO_OLD: &str = "this page had expired: send it again";

/// The login form, and the page that is shown after it.
pub(crate) fn address(wanted: &str) -> Address {
    let address = Address::page(["login"]);
    if wanted == Address::page([]).as_str() { address } else { address.with("then", wanted) }
}

/// Only pages of the console: other addresses could take people to another site after their login.
fn own_page(wanted: &str) -> Option<&str> {
    let is_path = |b: u8| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"' | b'<' | b'>');
    let path = wanted.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let has_step = path.split('/').any(|segment| matches!(segment, "." | ".."));
    (wanted.starts_with("/console/") && !has_step && wanted.bytes().all(is_path)).then_some(wanted)
}

/// `GET /console/login`.
pub(crate) async fn show<P: Ports>(
    context: &Context<'_, P>,
    request: &Request,
) -> Result<Response, ConsoleError> {
    let query = request.query()?;
    let state: SignupState = context.service.with_token(None).get(&Address::call("/signup")).await?;
    if !state.has_admin {
        return Ok(respond::see_other(&Address::page(["signup"])));
    }
    let form = form(context, query.get("then").unwrap_or_default(), None);
    Ok(respond::page(StatusCode::OK, form, &Policy::default()))
}

fn form<P: Ports>(context: &Context<'_, P>, then: &str, problem: Option<&str>) -> Markup {
    let fields = html! {
        input type="hidden" name="then" value=(then);
        label { "Name" input type="text" name="username" autocomplete="username" required autofocus; }
        label { "Password" input type="password" name="password" autocomplete="current-password" required; }
        button type="submit" { "Log in" }
    };
    let content = html! {
        section.alone {
            h1 { "Log in to Spindrift" }
            @if let Some(problem) = problem { p.problem role="alert" { (problem) } }
            (parts::form(&Address::page(["login"]), &context.form_token(), &fields))
            p.hint { "A new installation? " a href=(Address::page(["signup"])) { "Create an admin" } "." }
        }
    };
    let notice = context.notice;
    Frame { title: "Log in", visitor: None, scripts: &[], refresh_seconds: None, notice }.around(&content)
}

/// `POST /console/login`.
pub(crate) async fn login<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let sent = context.form_to_repeat(request).await?;
    let then = sent.get("then").unwrap_or_default();
    if context.require_token_of(&sent).is_err() {
        return Ok(refused(context, StatusCode::FORBIDDEN, then, TOO_OLD));
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body = LoginBody { username: value("username"), password: value("password") };
    match session(context, &body, own_page(then).unwrap_or(Address::page([]).as_str())).await {
        Err(error) => {
            let (status, message) = error.about_form()?;
            Ok(refused(context, status, then, &message))
        }
        logged_in => logged_in,
    }
}

/// Logs in, and goes to a page that [`own_page`] has accepted.
pub(super) async fn session<P: Ports>(
    context: &Context<'_, P>,
    body: &LoginBody,
    page: &str,
) -> Result<Response, ConsoleError> {
    let LoginAnswer { token } =
        context.service.with_token(None).send_json(Method::POST, &Address::call("/login"), body).await?;
    let token = SessionToken::new(&token)
        .ok_or_else(|| ConsoleError::NoAnswer("the login token is not a valid cookie value".to_owned()))?;
    let mut answer = see_path(page);
    for cookie in
        [Cookie::Session.set(&token, context.is_secure()), Cookie::Visitor.remove(context.is_secure())]
    {
        answer.headers_mut().extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
    }
    Ok(answer)
}

/// The form again, with the error.
fn refused<P: Ports>(context: &Context<'_, P>, status: StatusCode, then: &str, problem: &str) -> Response {
    respond::page(status, form(context, then, Some(problem)), &Policy::default())
}

/// To a page that [`own_page`] has accepted.
fn see_path(path: &str) -> Response {
    let mut answer = respond::see_other(&Address::page([]));
    if let Ok(path) = HeaderValue::try_from(path) {
        answer.headers_mut().insert(header::LOCATION, path);
    }
    answer
}

/// `POST /console/logout`. With `everywhere`, all logins of this user end.
pub(crate) async fn logout<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let sent = context.form(request).await?;
    if sent.get("everywhere").is_some() {
        let ended: Result<MessageBody, _> = context
            .service
            .send_json(Method::POST, &Address::call("/logout/all"), &serde_json::json!({}))
            .await;
        // A login that has ended already needs no logout.
        match ended {
            Ok(_) | Err(ConsoleError::LoggedOut) => {}
            Err(error) => return Err(error),
        }
    }
    let mut answer = respond::see_other(&Address::page(["login"]));
    let over = Cookie::Session.remove(context.is_secure());
    answer.headers_mut().extend(over.map(|cookie| (header::SET_COOKIE, cookie)));
    Ok(answer)
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
