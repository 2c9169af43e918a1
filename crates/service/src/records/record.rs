//! The traits that all records share.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use spindrift_core::feeds::UpdaterRecord;
use spindrift_core::{KnownNames, LatestRecord, RecordStamp, ScopeRecord, Timestamp};

use super::format;

/// Seconds after which the releases of a record are read again even if the revision is unchanged. This limits
/// the effect of a misleading revision, such as one from a lagging database replica or after manual edits of
/// the tables.
pub(crate) const READ_MAX_AGE_SECONDS: i64 = 15 * 60;

/// Seconds after its last contact with the origin during which an edge lets rollouts go on growing.
const GROWING_SECONDS: i64 = 120;

/// A record in the key-value store.
pub(crate) trait Record: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// Seconds after which a record is renewed. This limits staleness between deployments that share a
    /// database but not a key-value store.
    const MAX_AGE_SECONDS: i64 = 60;

    /// When the record was derived from the database, or last compared with it.
    fn derived_at(&self) -> Timestamp;
    /// Whether the record has nothing to answer with.
    fn is_empty(&self) -> bool;

    /// When the record becomes invalid even though nothing has changed. `None`: never. If its answers depend
    /// on the time, the record holds the times.
    fn valid_until(&self) -> Option<Timestamp> {
        None
    }

    /// Whether the record has become invalid although nothing has changed.
    fn is_over(&self, now: Timestamp) -> bool {
        self.valid_until().is_some_and(|until| until <= now)
    }

    /// The bytes for the store; the `Err` text is for the log.
    fn to_bytes(&self) -> Result<Vec<u8>, String> {
        format::to_bytes(self)
    }

    /// Parses bytes from the store. `None` if they are not a record of this kind.
    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        format::from_bytes(bytes)
    }
}

/// A record of an owner's data. It is valid for as long as the owner's revision stays the same.
pub(crate) trait OwnedRecord: Record {
    /// When and from which data the record was made.
    fn stamp(&self) -> RecordStamp;
    /// Notes that the record was compared with the database at `at`.
    fn confirm(&mut self, at: Timestamp);
}

impl<R: ScopedRecord> OwnedRecord for R {
    fn stamp(&self) -> RecordStamp {
        self.scope().stamp()
    }

    fn confirm(&mut self, at: Timestamp) {
        self.scope_mut().derived_at = at;
    }
}

impl OwnedRecord for LatestRecord {
    fn stamp(&self) -> RecordStamp {
        self.stamp.clone()
    }

    fn confirm(&mut self, at: Timestamp) {
        self.stamp.derived_at = at;
    }
}

/// A record of a scope. An origin sends it to its edges as JSON.
pub(crate) trait ScopedRecord: Record + PartialEq {
    /// The scope record that every such record contains.
    fn scope(&self) -> &ScopeRecord;
    /// Like [`ScopedRecord::scope`], mutable.
    fn scope_mut(&mut self) -> &mut ScopeRecord;
}

impl Record for ScopeRecord {
    fn derived_at(&self) -> Timestamp {
        self.derived_at
    }

    fn is_empty(&self) -> bool {
        self.releases.is_empty()
    }

    fn valid_until(&self) -> Option<Timestamp> {
        self.valid_until
    }

    fn to_bytes(&self) -> Result<Vec<u8>, String> {
        format::scope_to_bytes(self)
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        format::scope_from_bytes(bytes)
    }
}

impl ScopedRecord for ScopeRecord {
    fn scope(&self) -> &ScopeRecord {
        self
    }

    fn scope_mut(&mut self) -> &mut ScopeRecord {
        self
    }
}

impl Record for LatestRecord {
    fn derived_at(&self) -> Timestamp {
        self.stamp.derived_at
    }

    fn is_empty(&self) -> bool {
        self.builds.is_empty()
    }

    fn valid_until(&self) -> Option<Timestamp> {
        self.valid_until
    }
}

impl Record for KnownNames {
    /// Longest time for which a name that another deployment created is unknown here.
    const MAX_AGE_SECONDS: i64 = 5;

    fn derived_at(&self) -> Timestamp {
        self.derived_at
    }

    /// A record without names still refuses requests.
    fn is_empty(&self) -> bool {
        false
    }
}

/// A record and its staleness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded<R> {
    /// The record, which an instance may remember.
    pub record: Arc<R>,
    /// At an edge whose origin is unavailable: the record's age in seconds. `None`: it is as fresh as
    /// required.
    pub stale_seconds: Option<i64>,
}

impl Loaded<ScopeRecord> {
    /// The time as of which answers are rendered.
    pub fn time(&self, now: Timestamp) -> Timestamp {
        time(&self.record, self.stale_seconds, now)
    }
}

impl Loaded<UpdaterRecord> {
    /// The time as of which answers are rendered.
    pub fn time(&self, now: Timestamp) -> Timestamp {
        time(&self.record.scope, self.stale_seconds, now)
    }
}

/// At an edge that cannot learn of a halt, rollouts soon stop growing.
fn time(record: &ScopeRecord, stale_seconds: Option<i64>, now: Timestamp) -> Timestamp {
    let at = record.answer_time(now);
    match stale_seconds {
        Some(_) => at.min(record.derived_at.plus_seconds(GROWING_SECONDS)),
        None => at,
    }
}

impl<R> From<Arc<R>> for Loaded<R> {
    fn from(record: Arc<R>) -> Self {
        Self { record, stale_seconds: None }
    }
}
