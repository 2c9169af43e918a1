//! Log lines: JSON on standard error, one line each.

use spindrift_web::log_line;

/// Logs a failure. `reason` is a store's error message, which contains no device, key or secret.
pub fn warn(message: &str, reason: &dyn std::fmt::Display) {
    log_line(serde_json::json!({ "level": "warn", "message": message, "reason": reason.to_string() }));
}
