//! A request's connection to the database, which is closed when it is dropped.

use std::rc::Rc;

use crate::bindings::fermyon::spin::sqlite::{Connection, Error};

/// A new connection to the database.
pub(crate) fn open(open: impl FnOnce() -> Result<Connection, Error>) -> Result<Rc<Connection>, Error> {
    open().map(Rc::new)
}

/// Gives the connection up after a failure. It ends with the request anyway.
pub(crate) const fn release() {}

/// The setting of a new connection of Spin: how many milliseconds it waits for a lock.
const NEW: &str = "PRAGMA busy_timeout = 5000";

/// Whether a new connection has this setting already.
pub(crate) fn is_told(statement: &str) -> bool {
    statement == NEW
}
