//! Access to files of private applications.

use spindrift_auth::AuthError;
use spindrift_core::{Action, DownloadMode, Gate, Id, PresentedCredentials};
use spindrift_db::download_tokens;
use spindrift_web::{Query, Request};

use super::principal::authenticate;
use crate::answers::private_links::sent_token;
use crate::{Ports, ServiceError};

/// A file of a private application.
#[derive(Debug, Clone, Copy)]
pub struct PrivateFile<'a> {
    pub owner_id: &'a Id,
    pub app_id: &'a Id,
    /// The download tokens that give access to it.
    pub tokens: TokenScope<'a>,
    /// Whether everybody with the credentials that the mode demands may have the file. Other files are only
    /// for users with permission.
    pub published: bool,
}

/// The download tokens that give access to a file.
#[derive(Debug, Clone, Copy)]
pub enum TokenScope<'a> {
    /// The token of the whole application, and the tokens of these channels.
    OfChannels(&'a [Id]),
    /// All tokens of the application.
    OfApp,
}

/// Whether the caller may have the file. `file` is `None` if there is none, which callers without a login
/// cannot tell from a file that they may not have. `Ok(false)`: for this caller it does not exist. Fails
/// without the credentials that `mode` demands, and for a login without permission.
pub fn admits<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    request: &Request,
    query: &Query,
    mode: DownloadMode,
    file: Option<PrivateFile<'_>>,
) -> Result<bool, ServiceError> {
    let shown = PresentedCredentials {
        token: mode == DownloadMode::Token && shows_token::<P>(conn, file, request, query)?,
        login: request.header("authorization").is_some(),
    };
    match mode.gate(file.is_some_and(|file| file.published), shown) {
        Gate::Open => Ok(true),
        Gate::NothingThere => Ok(false),
        Gate::Token => Err(AuthError::InvalidDownloadToken.into()),
        Gate::Login => {
            let principal = authenticate(ports, conn, request)?;
            let Some(file) = file.filter(|file| *file.owner_id == principal.owner_id) else {
                return Ok(false);
            };
            principal.require(Action::Download, Some(file.app_id))?;
            Ok(true)
        }
    }
}

/// Whether the request carries a valid download token for the file.
fn shows_token<P: Ports>(
    conn: &P::Conn,
    file: Option<PrivateFile<'_>>,
    request: &Request,
    query: &Query,
) -> Result<bool, ServiceError> {
    let (Some(file), Some(token)) = (file, sent_token(request, query)) else { return Ok(false) };
    let digest = token.digest();
    Ok(match file.tokens {
        TokenScope::OfChannels(channels) => download_tokens::admits(conn, &digest, file.app_id, channels)?,
        TokenScope::OfApp => download_tokens::is_of_app(conn, &digest, file.app_id)?,
    })
}
