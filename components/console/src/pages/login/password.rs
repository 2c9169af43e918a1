//! The login form, and logins with a password.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::{LoginBody, SignupState};
use spindrift_service::log;
use spindrift_web::{Request, Response};

use super::question;
use super::session::{TOO_OLD, start_session};
use crate::pages::sso::provider;
use crate::{Address, ConsoleError, ConsolePage, Context, Problem, Result, parts, respond};

/// `GET /console/login`.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let (service, call) = (context.service.with_token(None), Address::call("/signup"));
    let (state, provider) = futures::join!(service.get::<SignupState>(&call), provider(context));
    if !state?.has_admin {
        return Ok(respond::see_other(&Address::page(["signup"])));
    }
    Ok(form_beside(context, provider, query.get("then").unwrap_or_default(), None))
}

/// The form, with the problem of the previous attempt.
pub(super) async fn form(context: &Context<'_>, then: &str, problem: Option<Problem>) -> Response {
    form_beside(context, provider(context).await, then, problem)
}

/// The form, beside single sign-on if there is a `provider`. Passwords work even if the service cannot say.
fn form_beside(
    context: &Context<'_>,
    provider: Result<Option<String>>,
    then: &str,
    problem: Option<Problem>,
) -> Response {
    if let Err(error) = &provider {
        log::warn("the login page does not offer single sign-on", error);
    }
    let token = context.form_token();
    let fields = html! {
        input type="hidden" name="then" value=(then);
        label { "Name" input type="text" name="username" autocomplete="username" required autofocus; }
        label { "Password" input type="password" name="password" autocomplete="current-password" required; }
        button type="submit" { "Log in" }
    };
    let with_passkey = html! {
        input type="hidden" name="then" value=(then);
        button.plain type="submit" { "Log in with a passkey" }
    };
    let content = html! {
        (parts::form(&Address::page(["login"]), &token, &fields))
        (parts::form(&Address::page(["login", "passkey"]), &token, &with_passkey))
        @match provider {
            Ok(Some(provider)) => (sign_in_form(&token, then, &provider)),
            Ok(None) => {},
            Err(_) => p.hint { "Single sign-on cannot be offered at the moment. Load the page again later." },
        }
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
        return Ok(form(context, then, Some(Problem::new(StatusCode::FORBIDDEN, TOO_OLD))).await);
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body = LoginBody { username: value("username"), password: value("password") };
    match start_session(context, &body, then).await {
        Err(ConsoleError::SecondFactorRequired(asked)) => Ok(question::show(context, then, asked.as_deref())),
        Err(error) => Ok(form(context, then, Some(error.about_form()?)).await),
        logged_in => logged_in,
    }
}
/// The button that leads to the provider. `provider`: its name.
fn sign_in_form(token: &str, then: &str, provider: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="then" value=(then);
        button.plain type="submit" { "Sign in with " (provider) }
    };
    parts::form(&Address::page(["login", "sso"]), token, &fields)
}
