//! Creates an admin, with the service's `api_key`.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{LoginBody, SignupAnswer, SignupBody};
use spindrift_core::MIN_PASSWORD_CHARS;
use spindrift_web::{Request, Response};

use crate::pages::login::{self, TOO_OLD};
use crate::{Address, ConsoleError, ConsolePage, Context, Problem, Result, parts, respond};

/// The form's values, for showing it again. The password goes only to the browser that sent it.
#[derive(Default)]
struct SignupForm<'a> {
    username: &'a str,
    password: &'a str,
}

/// `GET /console/signup`.
pub(crate) fn show(context: &Context<'_>) -> Response {
    form(context, &SignupForm::default(), None)
}

/// The form, with the problem of the previous attempt.
fn form(context: &Context<'_>, filled: &SignupForm<'_>, problem: Option<Problem>) -> Response {
    // If the other fields are filled, only the key is missing.
    let is_repeated = !filled.username.is_empty();
    let fields = html! {
        label { "Name"
            input type="text" name="username" value=(filled.username) autocomplete="username" required
                autofocus[!is_repeated] aria-describedby="name-hint";
        }
        p.hint #name-hint { "It is part of every address that installed copies ask, so choose a short one, like the name of your team." }
        label { "Password" (parts::new_password("password", true, Some(filled.password), Some("password-hint"))) }
        p.hint #password-hint { "At least " (MIN_PASSWORD_CHARS) " characters." }
        label { "API key of this service"
            input type="password" name="api_key" autocomplete="off" required autofocus[is_repeated]
                aria-describedby="api-key-hint";
        }
        p.hint #api-key-hint { (where_the_key_is()) }
        button type="submit" { "Create admin" }
    };
    let content = html! {
        (parts::form(&Address::page(["signup"]), &context.form_token(), &fields))
        p.hint {
            "An admin owns applications, releases and a team. "
            a href=(Address::page(["login"])) { "Log in" } " if you already have an account."
        }
    };
    ConsolePage::new("Create an admin").with_problem(problem).show_alone("Create an admin", &content)
}

fn where_the_key_is() -> Markup {
    html! {
        "If the service was started with " code { "cargo run" } " or " code { "spindrift up" } ", the key is "
        code { "api_key" } " in the file " code { ".spindrift/secrets.json" } ". Elsewhere it is the setting "
        code { "api_key" } " (" code { "SPIN_VARIABLE_API_KEY" } ") of the person who installed the service."
    }
}

/// `POST /console/signup`. Also logs in the new admin.
pub(crate) async fn signup(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let text = |name| sent.get(name).unwrap_or_default();
    let filled = SignupForm { username: text("username"), password: text("password") };
    if context.require_token_of(&sent).is_err() {
        return Ok(form(context, &filled, Some(Problem::new(StatusCode::FORBIDDEN, TOO_OLD))));
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body =
        SignupBody { username: value("username"), password: value("password"), api_key: value("api_key") };
    let made: Result<SignupAnswer, _> =
        context.service.with_token(None).send_json(Method::POST, &Address::call("/signup"), &body).await;
    if let Err(error) = made {
        return Ok(form(context, &filled, Some(error.about_form()?)));
    }
    let login = LoginBody { username: body.username, password: body.password };
    match login::start_session(context, &login, Address::page(["setup", "start"]).as_str()).await {
        // The admin exists. If logging in fails now, use the login page.
        Err(ConsoleError::Refused { .. }) => Ok(respond::see_other(&Address::page(["login"]))),
        logged_in => logged_in,
    }
}
