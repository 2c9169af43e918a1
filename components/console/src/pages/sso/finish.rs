//! The way back from the provider.

use http::{Method, StatusCode};
use spindrift_api::{MessageBody, SsoFinishBody, SsoLoginAnswer};
use spindrift_web::{Query, Request, Response};

use super::begun::Begun;
use super::{Purpose, refusal};
use crate::pages::login;
use crate::{Address, ConsoleError, Context, Cookie, Notice, Problem, Result, respond};

const OVER: &str = "This sign-in has expired: begin again.";
/// In place of the provider's text, which anyone could write into a link.
const NOT_SIGNED_IN: &str = "The provider did not sign you in.";

/// `GET /console/sso`: the provider sends the browser here.
pub(crate) async fn finish(context: &Context<'_>, request: &Request) -> Result<Response> {
    let query = request.query()?;
    let kept = Cookie::SignIn.read(request, context.is_secure());
    let answer = match kept.and_then(|kept| Begun::read(kept.expose())) {
        Some(begun) => finish_begun(context, begun, &query).await?,
        None => refusal::show(Purpose::Login, Problem::new(StatusCode::BAD_REQUEST, OVER), None),
    };
    Ok(respond::with_cookie(answer, Cookie::SignIn.remove(context.is_secure())))
}

async fn finish_begun(context: &Context<'_>, begun: Begun, query: &Query) -> Result<Response> {
    let Begun { purpose, challenge } = begun;
    if query.get("error").is_some() {
        let problem = Problem::new(StatusCode::FORBIDDEN, NOT_SIGNED_IN);
        return Ok(refusal::show(purpose, problem, None));
    }
    let value = |name| query.get(name).map(ToOwned::to_owned);
    let body = SsoFinishBody {
        challenge: Some(challenge),
        code: value("code"),
        state: value("state"),
        iss: value("iss"),
    };
    let finished = match purpose {
        Purpose::Login => log_in(context, &body).await,
        Purpose::Bind => bind(context, &body).await,
    };
    match finished {
        // The usual way to the login would write this address, with the code, into another one.
        Err(ConsoleError::LoggedOut) => {
            Ok(refusal::show(purpose, Problem::new(StatusCode::UNAUTHORIZED, OVER), None))
        }
        Err(error) => refusal::refused(purpose, error),
        finished => finished,
    }
}

async fn log_in(context: &Context<'_>, body: &SsoFinishBody) -> Result<Response> {
    let call = Address::call("/sso/finish");
    let SsoLoginAnswer { token, then } =
        context.service.with_token(None).send_json(Method::POST, &call, body).await?;
    login::open_session(context, &token, then.as_deref().unwrap_or_default())
}

async fn bind(context: &Context<'_>, body: &SsoFinishBody) -> Result<Response> {
    let call = Address::call("/sso/bind/finish");
    let _: MessageBody = context.service.send_json(Method::POST, &call, body).await?;
    Ok(respond::see_other(&Notice::Linked.add_to(Address::page(["people"]))))
}
