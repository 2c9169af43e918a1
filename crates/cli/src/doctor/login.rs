//! Checks that the token is valid.

use spindrift_api::{ErrorCode, WhoamiBody};

use super::finding::Finding;
use crate::error::CliError;
use crate::service::Service;

const LOGIN: &str = "login";

pub(super) async fn check_login(service: &Service) -> Finding {
    if service.token().is_none() {
        return Finding::skipped(LOGIN, "no token: log in, or set SPINDRIFT_TOKEN");
    }
    match service.get("/whoami").json::<WhoamiBody>().await {
        Ok(me) => Finding::good(LOGIN, format!("the token is {}'s", me.username)),
        Err(CliError::Refused(refusal)) if refusal.code == Some(ErrorCode::NotForCiTokens) => {
            Finding::good(LOGIN, "a CI token, which has only the rights that it was created with")
        }
        Err(error) => Finding::failed(LOGIN, &error),
    }
}
