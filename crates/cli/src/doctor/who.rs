//! Whether the token is good.

use super::finding::Finding;
use crate::error::CliError;
use crate::output::text;
use crate::service::Service;

const LOGIN: &str = "login";
/// What CI tokens begin with.
const CI_PREFIX: &str = "sdt_";

pub(super) async fn who(service: &Service) -> Finding {
    let Some(token) = service.token() else {
        return Finding::skipped(LOGIN, "no token: log in, or set SPINDRIFT_TOKEN");
    };
    match service.get("/whoami").json().await {
        Ok(me) => Finding::good(LOGIN, format!("the token is {}'s", text(&me, "username"))),
        Err(CliError::Refused(refusal)) if refusal.status == 403 && token.expose().starts_with(CI_PREFIX) => {
            Finding::good(LOGIN, "a CI token, which may do nothing but upload")
        }
        Err(error) => Finding::failed(LOGIN, &error),
    }
}
