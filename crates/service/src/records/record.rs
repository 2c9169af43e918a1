//! What records have in common.

use serde::de::DeserializeOwned;
use spindrift_core::{ScopeRecord, Timestamp};

/// Seconds after which the releases of a record are read again even if nothing seems to have changed: the bound on whatever
/// makes a revision lie, such as replicas of a database of which one is behind, or a hand in the tables.
pub(crate) const READ_MAX_AGE_SECONDS: i64 = 15 * 60;
/// What is kept in the key-value store.
pub(crate) trait Record: Clone {
    /// When it was derived from the database, or last compared with it.
    fn derived_at(&self) -> Timestamp;
    /// Whether nothing in it can answer.
    fn is_empty(&self) -> bool;
    /// As the store has it; `Err` is for the log.
    fn to_bytes(&self) -> Result<Vec<u8>, String>;
    /// From what the store has; `None`: something else.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
}

/// What is kept for a scope. An origin sends it to its edges as JSON.
pub(crate) trait OfScope: Record + DeserializeOwned + PartialEq {
    /// What every kind of record of a scope holds.
    fn scope(&self) -> &ScopeRecord;
    /// As [`OfScope::scope`], to be changed.
    fn scope_mut(&mut self) -> &mut ScopeRecord;
}

/// A record, and how trustworthy it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded<R> {
    /// The record.
    pub record: R,
    /// At an edge whose origin cannot be asked: the record's age in seconds. `None`: it is as fresh as it should be.
    pub stale_seconds: Option<i64>,
}

impl<R> From<R> for Loaded<R> {
    fn from(record: R) -> Self {
        Self { record, stale_seconds: None }
    }
}
