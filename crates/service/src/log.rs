//! Log lines: JSON on standard error, one line each.

use std::cell::RefCell;

use spindrift_core::UserName;
use spindrift_web::log_line;

thread_local! {
    /// The owner whose data this thread's request is about, once known. A thread handles one request at a time; on Spin
    /// an instance handles only one.
    static OWNER: RefCell<Option<UserName>> = const { RefCell::new(None) };
}

/// Remembers the owner whose data the request is about, for its log line.
pub(crate) fn about(owner: &UserName) {
    OWNER.set(Some(owner.clone()));
}

/// The owner that the request is about.
pub(crate) fn owner() -> Option<UserName> {
    OWNER.with_borrow(Clone::clone)
}

/// Removes and returns the owner that this thread's last request was about.
pub(crate) fn take_owner() -> Option<UserName> {
    OWNER.take()
}

/// Logs a failure. `reason` is a store's error message, which contains no device, key or secret.
pub fn warn(message: &str, reason: &dyn std::fmt::Display) {
    log_line(serde_json::json!({ "level": "warn", "message": message, "reason": reason.to_string() }));
}
