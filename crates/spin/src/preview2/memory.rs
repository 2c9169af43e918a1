//! No memory, because an instance answers one request.

use std::sync::Arc;

/// Always `None`, because nothing is remembered.
pub(crate) const fn remembered<T: 'static>(_key: &str) -> Option<Arc<T>> {
    None
}

/// Does nothing, because nothing could use the value.
pub(crate) const fn remember<T: 'static>(_key: &str, _size: usize, _value: &Arc<T>) {}

/// Does nothing, because nothing is remembered.
pub(crate) const fn forget(_key: &str) {}

/// The value of a variable.
pub(crate) fn kept_variable<E>(
    _name: &str,
    read: impl FnOnce() -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    read()
}
