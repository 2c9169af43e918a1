//! Recording the use of CI tokens: at most once an hour, after the response is sent.

use spindrift_core::{Timestamp, Token};
use spindrift_db::{SqlError, tokens};
use spindrift_web::{After, RequestContext, TokenUse};

use crate::{Ports, log};

/// Remembers that the request came with this token, if that use is not recorded yet.
pub(crate) fn note(context: &RequestContext, token: &Token, now: Timestamp) {
    context.note_token_use(token.new_use(now).map(|hour| TokenUse { token: token.id.clone(), hour }));
}

/// The work to do after the response: `after`, then recording the remembered use. A failure to record it is
/// only logged.
pub(crate) fn record_after<P: Ports>(
    ports: &P,
    context: &RequestContext,
    after: Option<After>,
) -> Option<After> {
    let Some(used) = context.take_token_use() else { return after };
    let ports = ports.clone();
    Some(Box::pin(async move {
        if let Some(after) = after {
            after.await;
        }
        if let Err(error) = write(&ports, &used) {
            log::warn("the use of a token was not recorded", &error);
        }
    }))
}

fn write(ports: &impl Ports, used: &TokenUse) -> Result<(), SqlError> {
    tokens::record_use(&ports.connect()?, &used.token, used.hour)
}
