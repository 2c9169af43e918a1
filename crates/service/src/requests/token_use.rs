//! Recording the use of CI tokens and logins: at most once an hour, after the response is sent.

use spindrift_core::{Login, Timestamp, Token};
use spindrift_db::{SqlError, logins, tokens};
use spindrift_web::RequestContext;

use crate::{Ports, log};

/// After the response to a request with this token, records the hour of its use, unless that hour is already
/// recorded. A failure is only logged.
pub(super) fn record_after<P: Ports>(ports: &P, context: &RequestContext, token: &Token, now: Timestamp) {
    let Some(hour) = token.new_use(now) else { return };
    let token = token.id.clone();
    record(ports, context, move |conn| tokens::record_use(conn, &token, hour));
}

/// Like [`record_after`], for a login.
pub(super) fn record_login_after<P: Ports>(
    ports: &P,
    context: &RequestContext,
    login: &Login,
    now: Timestamp,
) {
    let Some(hour) = login.new_use(now) else { return };
    let login = login.id.clone();
    record(ports, context, move |conn| logins::record_use(conn, &login, hour));
}

fn record<P: Ports>(
    ports: &P,
    context: &RequestContext,
    write: impl FnOnce(&P::Conn) -> Result<(), SqlError> + 'static,
) {
    let ports = ports.clone();
    context.defer(Box::pin(async move {
        let recorded = ports.connect().and_then(|conn| write(&conn));
        if let Err(error) = recorded {
            log::warn("the use of a credential was not recorded", &error);
        }
    }));
}
