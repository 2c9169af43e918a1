//! Logins with a passkey, alone or after the password.

use http::{Method, StatusCode};
use spindrift_api::PasskeyQuestionBody;
use spindrift_web::{Request, Response};

use super::session::{self, TOO_OLD};
use super::{password, question};
use crate::{Address, Context, PasskeyFields, Problem, Result};

/// `POST /console/login/passkey`: asks for any passkey of this service.
pub(crate) async fn ask(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let then = sent.get("then").unwrap_or_default();
    if context.require_token_of(&sent).is_err() {
        return Ok(password::form(context, then, Some(Problem::new(StatusCode::FORBIDDEN, TOO_OLD))).await);
    }
    let (service, call) = (context.service.with_token(None), Address::call("/passkeys/login/new"));
    let asked: Result<PasskeyQuestionBody> =
        service.send_json(Method::POST, &call, &serde_json::json!({})).await;
    Ok(match asked {
        Ok(asked) => question::show(context, then, Some(&asked)),
        Err(error) => password::form(context, then, Some(error.about_form()?)).await,
    })
}

/// `POST /console/login/answer`.
pub(crate) async fn answer(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form_to_repeat(request).await?;
    let then = sent.get("then").unwrap_or_default();
    if context.require_token_of(&sent).is_err() {
        return Ok(password::form(context, then, Some(Problem::new(StatusCode::FORBIDDEN, TOO_OLD))).await);
    }
    // A challenge is good once, so a refused answer leads back to the beginning.
    match session::start(context, "/passkeys/login", &PasskeyFields::OWN.read(&sent), then).await {
        Err(error) => Ok(password::form(context, then, Some(error.about_form()?)).await),
        logged_in => logged_in,
    }
}
