//! Recording the use of CI tokens: at most once an hour, after the response is sent.

use spindrift_core::{Timestamp, Token};
use spindrift_db::tokens;
use spindrift_web::RequestContext;

use crate::{Ports, log};

/// After the response to a request with this token, records the hour of its use, unless that hour is already
/// recorded. A failure is only logged.
pub(super) fn record_after<P: Ports>(ports: &P, context: &RequestContext, token: &Token, now: Timestamp) {
    let Some(hour) = token.new_use(now) else { return };
    let (ports, token) = (ports.clone(), token.id.clone());
    context.defer(Box::pin(async move {
        let recorded = ports.connect().and_then(|conn| tokens::record_use(&conn, &token, hour));
        if let Err(error) = recorded {
            log::warn("the use of a token was not recorded", &error);
        }
    }));
}
