//! Shared by the management calls.

use spindrift_api::{ErrorCode, TaskStartedBody};
use spindrift_web::describe::schema::word;
use spindrift_web::describe::{Call, Who};

/// The topic of all these calls.
pub(super) const NOUN: &str = "Signed metadata";
/// An id for examples.
pub(super) const ID: &str = "018f0000-0000-7000-8000-000000000003";

/// A call about the repository of the application that the query names.
pub(super) fn named(who: Who, summary: &'static str) -> Call {
    Call::new(NOUN, who, summary)
        .needs_query("appName", "Name of the application.", word())
        .refuses(404, &[ErrorCode::NotFound])
}

/// A call that changes a repository. It runs alone, and uses the storage and the keys.
pub(super) fn changing(call: Call) -> Call {
    call.refuses(400, &[ErrorCode::InvalidMetadata, ErrorCode::InvalidSignature])
        .refuses(409, &[ErrorCode::Conflict, ErrorCode::TargetsChanged])
        .refuses(503, &[ErrorCode::Busy, ErrorCode::Unavailable])
        .storing()
}

/// The answer to a call that changed something.
pub(super) fn task(call: Call, status: u16) -> Call {
    call.answers::<TaskStartedBody>(status, "It is done. The task says later what was done.")
}

/// A file of metadata for examples.
pub(super) fn signed() -> serde_json::Value {
    serde_json::json!({ "signatures": [], "signed": {} })
}
