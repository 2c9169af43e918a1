//! The results of the stores.

/// Errors are texts, because the interfaces above have no structured errors.
pub(super) type Result<T, E = String> = std::result::Result<T, E>;

/// The message for a counter operation on a value that is not a counter.
pub(super) const NOT_A_COUNTER: &str = "the value is not a counter: it is not 8 bytes long or would overflow";
