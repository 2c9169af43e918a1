//! Recording the use of CI tokens: at most once an hour, after the response is sent.

use std::cell::RefCell;

use spindrift_core::{Id, Timestamp, Token};
use spindrift_db::{SqlError, tokens};
use spindrift_web::After;

use crate::{Ports, log};

thread_local! {
    /// The token of this thread's request and the hour of its use, if that use is not recorded yet. A thread handles
    /// one request at a time.
    static USED: RefCell<Option<(Id, Timestamp)>> = const { RefCell::new(None) };
}

/// Remembers that the request came with this token.
pub(crate) fn note(token: &Token, now: Timestamp) {
    USED.set(token.new_use(now).map(|hour| (token.id.clone(), hour)));
}

/// Forgets the token of this thread's last request.
pub(crate) fn forget() {
    USED.take();
}

/// The work for after the response: `after`, then recording the remembered use. If recording fails, that is only
/// logged.
pub(crate) fn record_after<P: Ports>(ports: &P, after: Option<After>) -> Option<After> {
    let Some((token, hour)) = USED.take() else { return after };
    let ports = ports.clone();
    Some(Box::pin(async move {
        if let Some(after) = after {
            after.await;
        }
        if let Err(error) = write(&ports, &token, hour) {
            log::warn("the use of a token was not recorded", &error);
        }
    }))
}

fn write(ports: &impl Ports, token: &Id, hour: Timestamp) -> Result<(), SqlError> {
    tokens::record_use(&ports.connect()?, token, hour)
}
