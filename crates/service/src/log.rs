//! Log lines: JSON on standard error, one line each.

use spindrift_db::AddedEntry;
use spindrift_web::log_line;

/// Logs a failure. `reason` is a store's error message, which contains no device, key or secret.
pub fn warn(message: &str, reason: &dyn std::fmt::Display) {
    log_line(serde_json::json!({ "level": "warn", "message": message, "reason": reason.to_string() }));
}

/// Logs an entry of the audit log, with the position and hash that show later whether the end of the audit
/// log was cut off.
pub fn change(added: Option<&AddedEntry>) {
    let Some(AddedEntry { head, entry }) = added else { return };
    log_line(serde_json::json!({
        "level": "info",
        "message": entry.line(),
        "kind": entry.kind,
        "seq": head.seq,
        "hash": head.hash.to_string(),
        "request_id": entry.request_id,
    }));
}
