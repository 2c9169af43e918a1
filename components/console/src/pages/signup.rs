//! Making an admin, with the installation's `api_key`.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{SignupAnswer, SignupBody};
use spindrift_core::MIN_PASSWORD_CHARS;
use spindrift_service::Ports;
use spindrift_web::{Request, Response};

use crate::address::Address;
use crate::context::Context;
use crate::error::ConsoleError;
use crate::layout::Frame;
use crate::pages::login::TOO_OLD;
use crate::parts;
use crate::respond::{self, Policy};

/// `GET /console/signup`.
pub(crate) fn show<P: Ports>(context: &Context<'_, P>) -> Response {
    respond::page(StatusCode::OK, form(context, None), &Policy::default())
}

fn form<P: Ports>(context: &Context<'_, P>, problem: Option<&str>) -> Markup {
    let fields = html! {
        label { "Name" input type="text" name="username" autocomplete="username" required autofocus; }
        label { "Password" (parts::new_password("password", true, Some("password-hint"))) }
        p.hint #password-hint { "At least " (MIN_PASSWORD_CHARS) " characters." }
        label { "API key of this installation"
            input type="password" name="api_key" autocomplete="off" required aria-describedby="api-key-hint";
        }
        p.hint #api-key-hint { "The setting " code { "api_key" } ". Whoever installed the service knows it." }
        button type="submit" { "Create admin" }
    };
    let content = html! {
        section.alone {
            h1 { "Create an admin" }
            @if let Some(problem) = problem { p.problem role="alert" { (problem) } }
            (parts::form(&Address::page(["signup"]), &context.form_token(), &fields))
            p.hint { "An admin owns applications, releases and a team. " a href=(Address::page(["login"])) { "Log in" } " if you have a name already." }
        }
    };
    Frame { title: "Create an admin", visitor: None, scripts: &[], refresh_seconds: None }.around(&content)
}

/// `POST /console/signup`.
pub(crate) async fn signup<P: Ports>(
    context: &Context<'_, P>,
    request: Request,
) -> Result<Response, ConsoleError> {
    let sent = context.form_to_repeat(request).await?;
    if context.require_token_of(&sent).is_err() {
        return Ok(refused(context, StatusCode::FORBIDDEN, TOO_OLD));
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body =
        SignupBody { username: value("username"), password: value("password"), api_key: value("api_key") };
    let made: Result<SignupAnswer, _> =
        context.service.with_token(None).send_json(Method::POST, &Address::call("/signup"), &body).await;
    match made {
        Ok(_) => Ok(respond::see_other(&Address::page(["login"]))),
        Err(error) => {
            let (status, message) = error.about_form()?;
            Ok(refused(context, status, &message))
        }
    }
}

/// The form again, with what was wrong.
fn refused<P: Ports>(context: &Context<'_, P>, status: StatusCode, problem: &str) -> Response {
    respond::page(status, form(context, Some(problem)), &Policy::default())
}
