//! One line for what went wrong behind an answer that does not show it.

/// Logs a failure. `reason` is a store's message, which names no device, key or secret.
pub(crate) fn warn(message: &str, reason: &dyn std::fmt::Display) {
    eprintln!("{}", serde_json::json!({ "level": "warn", "message": message, "reason": reason.to_string() }));
}
