//! Logs in and out.

mod passkey;
mod password;
mod question;
mod recovery;
mod session;
mod sso;

use http::Method;
use spindrift_api::MessageBody;
use spindrift_service::log;
use spindrift_web::{Request, Response};

pub(crate) use self::passkey::{answer, ask};
pub(crate) use self::password::{login, show};
pub(crate) use self::recovery::recover;
pub(super) use self::session::{TOO_OLD, go_to, open_session, start_session};
pub(crate) use self::sso::begin as begin_sign_in;
use crate::{Address, ConsoleError, Context, Cookie, Result, respond};

/// The login form. `wanted`: the page to show afterwards.
pub(crate) fn address(wanted: &str) -> Address {
    let address = Address::page(["login"]);
    if wanted == Address::page([]).as_str() { address } else { address.with("then", wanted) }
}

/// `POST /console/logout`. With `everywhere`, ends all logins of this user.
pub(crate) async fn logout(context: &Context<'_>, request: Request) -> Result<Response> {
    let sent = context.form(request).await?;
    let is_everywhere = sent.get("everywhere").is_some();
    let call = if is_everywhere { "/logout/all" } else { "/logout" };
    let ended: Result<MessageBody, _> =
        context.service.send_json(Method::POST, &Address::call(call), &serde_json::json!({})).await;
    match ended {
        // The login may have ended already.
        Ok(_) | Err(ConsoleError::LoggedOut) => {}
        Err(error) if is_everywhere => return Err(error),
        // Without the cookie, this browser is logged out all the same.
        Err(error) => log::warn("a login was not ended", &error),
    }
    let over = Cookie::Session.remove(context.is_secure());
    Ok(respond::with_cookie(respond::see_other(&Address::page(["login"])), over))
}
