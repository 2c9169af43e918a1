//! The session that a login begins, and the page to which it leads.

use http::{HeaderValue, Method, header};
use serde::Serialize;
use spindrift_api::{LoginAnswer, LoginBody};
use spindrift_web::Response;

use crate::cookies::SessionToken;
use crate::{Address, ConsoleError, Context, Cookie, Result, respond};

/// For a form that was open for longer than its cookie is valid, or beside another one.
pub(crate) const TOO_OLD: &str = "this page had expired: send it again";

/// Accepts only pages of the console: another address could send people to another site after their
/// login.
pub(super) fn own_page(wanted: &str) -> Option<&str> {
    let is_path = |b: u8| b.is_ascii_graphic() && !matches!(b, b'\\' | b'"' | b'<' | b'>');
    let path = wanted.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase().replace("%2e", ".");
    let has_step = path.split('/').any(|segment| matches!(segment, "." | ".."));
    (wanted.starts_with("/console/") && !has_step && wanted.bytes().all(is_path)).then_some(wanted)
}

/// Redirects to a page of the console; instead of any other address, to the overview.
pub(crate) fn go_to(wanted: &str) -> Response {
    let mut answer = respond::see_other(&Address::page([]));
    if let Some(Ok(path)) = own_page(wanted).map(HeaderValue::try_from) {
        answer.headers_mut().insert(header::LOCATION, path);
    }
    answer
}

/// Logs in with a password. `wanted`: the page to show afterwards.
pub(crate) async fn start_session(context: &Context<'_>, body: &LoginBody, wanted: &str) -> Result<Response> {
    start(context, "/login", body, wanted).await
}

/// Logs in with a call that answers with a login token.
pub(super) async fn start(
    context: &Context<'_>,
    call: &'static str,
    body: &impl Serialize,
    wanted: &str,
) -> Result<Response> {
    let LoginAnswer { token } =
        context.service.with_token(None).send_json(Method::POST, &Address::call(call), body).await?;
    open_session(context, &token, wanted)
}

/// Logs in the browser with this login token. `wanted`: the page to show afterwards.
pub(crate) fn open_session(context: &Context<'_>, token: &str, wanted: &str) -> Result<Response> {
    let token = SessionToken::new(token)
        .ok_or_else(|| ConsoleError::NoAnswer("the login token is not a valid cookie value".to_owned()))?;
    let answer = respond::with_cookie(go_to(wanted), Cookie::Session.set(&token, context.is_secure()));
    Ok(respond::with_cookie(answer, Cookie::Visitor.remove(context.is_secure())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_pages_follow_a_login() {
        for own in [
            "/console/",
            "/console/apps/notes?page=2",
            "/console/apps/a.b..c?x=../..",
            "/console/device?code=WDJB-MJHT",
        ] {
            assert_eq!(own_page(own), Some(own));
            assert_eq!(go_to(own).headers()[header::LOCATION], own);
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
            assert_eq!(go_to(other).headers()[header::LOCATION], "/console/", "{other}");
        }
    }
}
