//! Recording that a CI token was used: once an hour, after the answer.

use std::cell::RefCell;

use spindrift_core::{Id, Timestamp, Token};
use spindrift_db::{SqlError, tokens};
use spindrift_web::After;

use crate::{Ports, log};

thread_local! {
    /// The token that the request of this thread came with, and the hour of its use, if that is not recorded yet. A
    /// thread answers one request at a time.
    static USED: RefCell<Option<(Id, Timestamp)>> = const { RefCell::new(None) };
}

/// Notes that the request came with this token.
pub(crate) fn note(token: &Token, now: Timestamp) {
    USED.set(token.new_use(now).map(|hour| (token.id.clone(), hour)));
}

/// Forgets what the last request of this thread noted.
pub(crate) fn forget() {
    USED.take();
}

/// What is to be done after the answer: `after`, then recording what was noted. A failure of that is only logged.
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
