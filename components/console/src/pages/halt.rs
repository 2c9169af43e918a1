//! Halts a release with a link from a webhook's message (`docs/webhooks.md`).
//!
//! These two pages need no login, as the login page does: the token in the link is the credential. It is also the
//! form's only protection, and enough: a site that could forge the form could as well open the link. So the pages use no
//! cookie, and work wherever a chat opens them.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::HaltLinkBody;
use spindrift_service::log;
use spindrift_web::{Request, Response};

use super::release;
use crate::cookies::SessionToken;
use crate::{Address, ConsoleError, ConsolePage, Context, Problem, Result, parts};

/// The query parameter and form field with the token.
const TOKEN: &str = "token";
const TITLE: &str = "Halt a release";
const NO_TOKEN: &str = "this link is not valid: a part of it is missing";

fn call() -> Address {
    Address::call("/releases/halt-link")
}

/// `GET /console/halt`. Changes nothing, because chats fetch links.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let Some(token) = query.get(TOKEN).and_then(SessionToken::new) else { return Ok(without_token()) };
    match context.service.with_token(Some(token.clone())).get(&call()).await {
        Ok(linked) => Ok(question(&linked, &token)),
        Err(error) => refused(error),
    }
}

/// `POST /console/halt`.
pub(crate) async fn halt(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_with_own_secret(request).await?;
    let Some(token) = sent.get(TOKEN).and_then(SessionToken::new) else { return Ok(without_token()) };
    let service = context.service.with_token(Some(token));
    match service.send_json(Method::POST, &call(), &serde_json::json!({})).await {
        Ok(linked) => Ok(halted(&linked)),
        Err(error) if error.status().is_server_error() => Ok(uncertain(&error)),
        Err(error) => refused(error),
    }
}

/// Such as "notes 2.0 in stable".
fn name(linked: &HaltLinkBody) -> String {
    let HaltLinkBody { app, version, channel, .. } = linked;
    if channel.is_empty() { format!("{app} {version}") } else { format!("{app} {version} in {channel}") }
}

fn question(linked: &HaltLinkBody, token: &SessionToken) -> Response {
    let name = name(linked);
    let content = html! {
        p { "No further device gets it. Devices that have it keep it. To resume it, somebody has to log in." }
        form method="post" action=(Address::page(["halt"])) {
            input type="hidden" name=(TOKEN) value=(token.expose());
            button.danger.halt type="submit" { "Halt " (name) }
        }
        p.hint { "This link works once, until " (parts::time(&linked.expires_at)) "." }
        (to_release(linked))
    };
    ConsolePage::new(TITLE).show_alone(&format!("Halt {name}?"), &content)
}

fn halted(linked: &HaltLinkBody) -> Response {
    let content = html! {
        p role="status" { "No further device gets it; caches follow within a minute or two. The history has who sent the link, \
             and the address from which it was used." }
        p { "To resume it, or to withdraw it, log in." }
        (to_release(linked))
    };
    ConsolePage::new(TITLE).show_alone(&format!("{} is halted", name(linked)), &content)
}

fn to_release(linked: &HaltLinkBody) -> Markup {
    html! { p { a href=(release::address(&linked.app, linked.id.as_str())) { "To the release" } " (with a login)" } }
}

fn without_token() -> Response {
    explain(Problem::new(StatusCode::NOT_FOUND, NO_TOKEN))
}

/// The page for a link that halts nothing: the service says why.
fn refused(error: ConsoleError) -> Result<Response> {
    Ok(explain(error.about_form()?))
}

fn explain(problem: Problem) -> Response {
    let content = html! {
        p { "Nothing was changed. " a href=(Address::page([])) { "Log in" } " to see the release, or to halt it." }
    };
    ConsolePage::new(TITLE).with_problem(Some(problem)).show_alone("This link halts nothing", &content)
}

fn uncertain(error: &ConsoleError) -> Response {
    log::warn("a halt by link failed", error);
    let content = html! {
        p { strong { "The release may not be halted." } " Go back, and send it again." }
        p { a href=(Address::page([])) { "To the overview" } }
    };
    let problem = Problem::new(error.status(), error.to_string());
    ConsolePage::new(TITLE).with_problem(Some(problem)).show_alone("Something failed", &content)
}

#[cfg(test)]
mod tests {
    use spindrift_web::ResponseBody;

    use super::*;

    fn linked(channel: &str) -> HaltLinkBody {
        serde_json::from_value(serde_json::json!({
            "id": "r1", "app": "<notes>", "version": "2.0", "channel": channel, "state": "running",
            "expires_at": "2026-12-01T08:00:00+00:00",
        }))
        .unwrap()
    }

    fn text(answer: &Response) -> String {
        let ResponseBody::Full(text) = answer.body() else { panic!("a full body") };
        String::from_utf8(text.to_vec()).unwrap()
    }

    #[test]
    fn the_page_has_one_form_with_one_button() {
        let page = text(&question(&linked("stable"), &SessionToken::new("w.7.1.mac").unwrap()));
        for part in [
            "<h1>Halt &lt;notes&gt; 2.0 in stable?</h1>",
            "<form method=\"post\" action=\"/console/halt\">",
            "<input type=\"hidden\" name=\"token\" value=\"w.7.1.mac\">",
            "type=\"submit\">Halt &lt;notes&gt; 2.0 in stable</button>",
            "until <time datetime=\"2026-12-01T08:00:00+00:00\"",
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert_eq!((page.matches("<form").count(), page.matches("<button").count()), (1, 1));
        assert!(text(&halted(&linked(""))).contains("<h1>&lt;notes&gt; 2.0 is halted</h1>"));
    }

    #[test]
    fn a_refusal_says_why_and_a_failure_that_it_may_not_be_halted() {
        let gone = ConsoleError::refused(StatusCode::GONE, "this link has expired");
        let answer = refused(gone).unwrap();
        assert_eq!(answer.status(), StatusCode::GONE);
        let page = text(&answer);
        assert!(page.contains("this link has expired") && page.contains("Nothing was changed."), "{page}");
        let answer = uncertain(&ConsoleError::no_answer("closed"));
        assert_eq!(answer.status(), StatusCode::BAD_GATEWAY);
        assert!(text(&answer).contains("may not be halted"));
        assert_eq!(without_token().status(), StatusCode::NOT_FOUND);
    }
}
