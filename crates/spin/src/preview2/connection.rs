//! The database connection of a request, which is closed when it is dropped.

use std::rc::Rc;

use crate::bindings::fermyon::spin::sqlite::{Connection, Error};

/// A new connection to the database.
pub(crate) fn open(open: impl FnOnce() -> Result<Connection, Error>) -> Result<Rc<Connection>, Error> {
    open().map(Rc::new)
}

/// Discards the connection after a failure. There is nothing to do, because it ends with the request.
pub(crate) const fn release() {}

/// The setting of a new connection in Spin: how many milliseconds it waits for a lock.
const NEW: &str = "PRAGMA busy_timeout = 5000";

/// Whether a new connection already has this setting.
pub(crate) fn has_setting(statement: &str) -> bool {
    statement == NEW
}
