//! An instance that answers one request keeps nothing.

use std::rc::Rc;

use spin_sdk::sqlite::{Connection, Error};

/// The value of a key.
pub(crate) fn kept<E>(
    _key: &str,
    read: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
) -> Result<Option<Vec<u8>>, E> {
    read()
}

/// Drops what is kept of a key, because it changes.
pub(crate) const fn forget(_key: &str) {}

/// The value of a variable.
pub(crate) fn kept_variable<E>(
    _name: &str,
    read: impl FnOnce() -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    read()
}

/// A new connection to the database.
pub(crate) fn open_connection(
    open: impl FnOnce() -> Result<Connection, Error>,
) -> Result<Rc<Connection>, Error> {
    open().map(Rc::new)
}

/// Gives the connection up after a failure. It ends with the request anyway.
pub(crate) const fn release_connection() {}
