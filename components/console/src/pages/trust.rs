//! Signed metadata: signers, expiry, and files that wait for signatures. These pages change
//! nothing: keys are on the signers' machines, where `spindrift trust` signs.

mod advice;
mod application;
mod metadata;
mod overview;
mod state;

pub(crate) use application::show as show_application;
pub(crate) use overview::show;

use http::StatusCode;

use crate::{Address, Context, Result};

/// The answer to a call about a repository. `None`: there is no repository, or the visitor may not
/// see it.
async fn perhaps<T: serde::de::DeserializeOwned>(context: &Context<'_>, call: &Address) -> Result<Option<T>> {
    match context.service.get(call).await {
        Ok(found) => Ok(Some(found)),
        Err(error)
            if [StatusCode::NOT_FOUND, StatusCode::FORBIDDEN].iter().any(|with| error.is_refusal(*with)) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
