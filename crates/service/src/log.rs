//! Log lines: JSON on standard error, one line each.

use std::cell::RefCell;

use spindrift_core::UserName;

thread_local! {
    /// The owner whose data the request of this thread is about, once that is known. A thread answers one request at a
    /// time, on Spin an instance answers one in its life.
    static OWNER: RefCell<Option<UserName>> = const { RefCell::new(None) };
}

/// Remembers whose data the request is about, for its log line.
pub(crate) fn about(owner: &UserName) {
    OWNER.set(Some(owner.clone()));
}

/// Whose data the last request of this thread was about; forgets it.
pub(crate) fn take_owner() -> Option<UserName> {
    OWNER.take()
}

/// Logs a failure. `reason` is a store's message, which names no device, key or secret.
pub(crate) fn warn(message: &str, reason: &dyn std::fmt::Display) {
    eprintln!("{}", serde_json::json!({ "level": "warn", "message": message, "reason": reason.to_string() }));
}
