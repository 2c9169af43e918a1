//! The audit log: who changed what, in entries that are chained by hashes so that any change of the
//! log is detected.

mod chain;
mod entry;
mod kind;
mod line;
pub mod webhook;

pub use chain::{AuditChain, AuditHash, BrokenChain};
pub use entry::{ActorType, AuditActor, AuditEntry, AuditObject, AuditOrigin, AuditRecord, AuditRelease};
pub use kind::AuditKind;

/// The beginning of the reason in entries about stops that a guard run made.
pub const GUARD_REASON: &str = "The guard found it unhealthy.";

/// Maximum length of a change's reason, in characters.
pub const MAX_REASON_CHARS: usize = 500;
