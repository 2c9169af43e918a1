//! An instance lives until the work after its answer is done.

/// An instance answers one request.
pub(crate) const IS_REUSED: bool = false;

/// There are no other requests to wait for.
pub(crate) fn gather() -> impl Future<Output = bool> {
    std::future::ready(false)
}

/// Work that waits is done after the answer.
pub(crate) const fn may_end() -> bool {
    false
}
