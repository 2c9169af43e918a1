//! An invited person joins a team, with the secret of a link.

use http::{Method, StatusCode};
use maud::{Markup, html};
use spindrift_api::{InvitationAcceptBody, InvitationAcceptedBody, LoginBody, OwnInvitationBody};
use spindrift_core::{MIN_PASSWORD_CHARS, Role};
use spindrift_web::{Request, Response};

use crate::cookies::SessionToken;
use crate::pages::login::{self, TOO_OLD};
use crate::pages::people::role_explanation;
use crate::service::Service;
use crate::{Address, ConsoleError, ConsolePage, Context, Problem, Result, parts, respond};

/// The query parameter of links, and the form field, with the secret.
const SECRET: &str = "secret";

/// The service, called with the secret. A text that cannot be one gets no page.
fn invited<'a>(context: &Context<'a>, secret: &str) -> Result<Service<'a>> {
    let token = SessionToken::new(secret).ok_or(ConsoleError::NoPage)?;
    Ok(context.service.with_token(Some(token)))
}

/// `GET /console/invitation`: the page that a link opens. It says what the invitation is for, and changes nothing.
pub(crate) async fn show(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let secret = query.get(SECRET).unwrap_or_default();
    match load(context, secret).await {
        Ok(invitation) => Ok(form(context, &invitation, secret, "", None)),
        Err(error) => refused(error),
    }
}

async fn load(context: &Context<'_>, secret: &str) -> Result<OwnInvitationBody> {
    match invited(context, secret)?.get(&Address::call("/invitations/mine")).await {
        // The secret is none, perhaps because a part of the link is missing.
        Err(ConsoleError::LoggedOut) => Err(ConsoleError::NoPage),
        loaded => loaded,
    }
}

/// A page that says why the invitation cannot be accepted.
fn refused(error: ConsoleError) -> Result<Response> {
    let problem = match error {
        ConsoleError::NoPage => {
            Problem::new(StatusCode::NOT_FOUND, "this is not the whole link of an invitation")
        }
        error => error.about_form()?,
    };
    let content = html! { p { a href=(Address::page(["login"])) { "Log in" } } };
    let page = ConsolePage::new("Invitation").with_problem(Some(problem));
    Ok(page.show_alone("This invitation cannot be accepted", &content))
}

fn form(
    context: &Context<'_>,
    invitation: &OwnInvitationBody,
    secret: &str,
    chosen: &str,
    problem: Option<Problem>,
) -> Response {
    let fields = html! {
        input type="hidden" name=(SECRET) value=(secret);
        @match &invitation.username {
            Some(name) => p { "Your name is " strong { (name) } "." },
            None => label { "Name"
                input type="text" name="username" value=(chosen) autocomplete="username" required autofocus
                    maxlength="64";
            },
        }
        label { "Password" (parts::new_password("password", true, None, Some("password-hint"))) }
        p.hint #password-hint { "At least " (MIN_PASSWORD_CHARS) " characters." }
        button type="submit" { "Join" }
    };
    let content = html! {
        p { strong { (invitation.owner) } " invites you to work on their applications" (as_role(&invitation.role)) "." }
        (parts::form(&Address::page(["invitation"]), &context.form_token(), &fields))
        p.hint { "The invitation is good once, until " (parts::time(&invitation.expires_at)) "." }
    };
    ConsolePage::new("Invitation").with_problem(problem).show_alone("Join Spindrift", &content)
}

fn as_role(name: &str) -> Markup {
    html! {
        @if let Ok(role) = name.parse::<Role>() { ", with the role " (name) ": " (role_explanation(role)) }
    }
}

/// `POST /console/invitation`. Also logs in the new user.
pub(crate) async fn accept(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let text = |name| sent.get(name).unwrap_or_default();
    let (secret, chosen) = (text(SECRET), text("username"));
    let invitation = match load(context, secret).await {
        Ok(invitation) => invitation,
        Err(error) => return refused(error),
    };
    if context.require_token_of(&sent).is_err() {
        let problem = Problem::new(StatusCode::FORBIDDEN, TOO_OLD);
        return Ok(form(context, &invitation, secret, chosen, Some(problem)));
    }
    let value = |name| sent.get(name).map(ToOwned::to_owned);
    let body = InvitationAcceptBody { username: value("username"), password: value("password") };
    let call = Address::call("/invitations/accept");
    let accepted: Result<InvitationAcceptedBody> =
        invited(context, secret)?.send_json(Method::POST, &call, &body).await;
    let accepted = match accepted {
        Ok(accepted) => accepted,
        Err(error) => return Ok(form(context, &invitation, secret, chosen, Some(error.about_form()?))),
    };
    let login = LoginBody { username: Some(accepted.username), password: body.password };
    match login::start_session(context, &login, Address::page([]).as_str()).await {
        // The user exists. If logging in fails now, use the login page.
        Err(ConsoleError::Refused { .. }) => Ok(respond::see_other(&Address::page(["login"]))),
        logged_in => logged_in,
    }
}
