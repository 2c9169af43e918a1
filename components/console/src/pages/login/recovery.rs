//! Logins with a recovery code in place of a passkey.

use http::StatusCode;
use maud::{Markup, html};
use spindrift_api::RecoveryBody;
use spindrift_web::{Request, Response};

use super::session::{self, TOO_OLD};
use crate::{Address, ConsolePage, Context, Problem, Result, parts};

/// The form. It asks for the password again, because no page gets one back.
pub(super) fn form(context: &Context<'_>, then: &str) -> Markup {
    let fields = html! {
        input type="hidden" name="then" value=(then);
        p.hint { "With your password, a recovery code takes the place of a passkey. Each code is good once." }
        label { "Name" input type="text" name="username" autocomplete="username" required; }
        label { "Password" input type="password" name="password" autocomplete="current-password" required; }
        label { "Recovery code" input type="text" name="code" autocomplete="off" spellcheck="false" required; }
        button type="submit" { "Log in with a recovery code" }
    };
    parts::form(&Address::page(["login", "recover"]), &context.form_token(), &fields)
}

/// The form alone, where no passkey can be asked for.
pub(super) fn page(context: &Context<'_>, then: &str, problem: Option<Problem>) -> Response {
    let content = html! {
        p { "This account has a passkey. If your browser cannot use it here, or you do not have it at hand, log in with \
             a recovery code." }
        (form(context, then))
        p.hint { a href=(Address::page(["login"]).with("then", then)) { "Log in another way" } }
    };
    let page = ConsolePage::new("Log in with a recovery code").with_problem(problem);
    page.show_alone("Log in with a recovery code", &content)
}

/// `POST /console/login/recover`.
pub(crate) async fn recover(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let then = sent.get("then").unwrap_or_default();
    if context.require_token_of(&sent).is_err() {
        return Ok(page(context, then, Some(Problem::new(StatusCode::FORBIDDEN, TOO_OLD))));
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body = RecoveryBody { username: value("username"), password: value("password"), code: value("code") };
    match session::start(context, "/passkeys/recover", &body, then).await {
        Err(error) => Ok(page(context, then, Some(error.about_form()?))),
        logged_in => logged_in,
    }
}
