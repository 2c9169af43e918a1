//! An instance that answers one request keeps nothing.

use std::rc::Rc;

/// Nothing is remembered.
pub(crate) const fn remembered<T: 'static>(_key: &str) -> Option<Rc<T>> {
    None
}

/// Remembers nothing.
pub(crate) const fn remember<T: 'static>(_key: &str, _size: usize, _value: &Rc<T>) {}

/// Drops the values kept of a key, because it changes.
pub(crate) const fn forget(_key: &str) {}

/// The value of a variable.
pub(crate) fn kept_variable<E>(
    _name: &str,
    read: impl FnOnce() -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    read()
}
