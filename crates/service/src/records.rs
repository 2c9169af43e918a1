//! Records in the key-value store: what answers the clients of one scope, or of one application, in one read.
//!
//! A record is derived from the database when it is missing or too old, and again whenever something changes. It is
//! never trusted to say that something does not exist. See `docs/adr/0002-scope-records.md`. There are three kinds,
//! [`crate::scopes`] for checks, [`crate::updater_records`] for native updaters and [`crate::latest_records`] for the
//! newest builds; all live by the rules in here.

use std::mem::take;

use serde::de::DeserializeOwned;
use spindrift_core::{Scope, ScopeRecord, Timestamp, Updater};
use spindrift_web::ApiError;

use crate::scopes::Known;
use crate::{Failure, Ports, log, origin, record_keys, renewal, scopes};

/// Seconds after which a record is derived again: the bound on staleness between deployments that share a database
/// and not a key-value store.
const MAX_AGE_SECONDS: i64 = 60;
/// Seconds after which the releases of a record are read again even if nothing seems to have changed: the bound on whatever
/// makes a revision lie, such as replicas of a database of which one is behind, or a hand in the tables.
pub(crate) const READ_MAX_AGE_SECONDS: i64 = 15 * 60;
/// Largest record that is kept, in bytes: below what every key-value store of Spin takes (400 KB).
const MAX_BYTES: usize = 384 * 1024;
/// Seconds between two log lines about one record that is too large.
const TOO_LARGE_LOG_SECONDS: i64 = 60;

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

/// What the key-value store has under a key.
struct Kept<R> {
    bytes: Option<Vec<u8>>,
    record: Option<R>,
}

impl<R: Record> Kept<R> {
    /// A failing store costs time, not answers.
    fn read(ports: &impl Ports, key: &str) -> Self {
        let bytes = ports.get(key).ok().flatten();
        let record = bytes.as_deref().and_then(R::from_bytes);
        Self { bytes, record }
    }

    /// The record, if it may answer; else what is there.
    fn fresh(self, now: Timestamp) -> Result<R, Self> {
        match self.record {
            Some(record) if record.derived_at().is_within(now, MAX_AGE_SECONDS) => Ok(record),
            record => Err(Self { record, ..self }),
        }
    }

    /// Derives a record and keeps it. `derive` gets the one that is too old, to confirm it by one small query if the
    /// database says that nothing of the owner has changed.
    fn renew<P: Ports>(
        self,
        ports: &P,
        key: &str,
        derive: impl Fn(&P::Conn, Option<&R>) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let conn = spindrift_db::open(ports, ports.now())?;
        let Self { bytes, record } = self;
        renewal::renew(
            ports,
            key,
            bytes,
            || derive(&conn, record.as_ref()),
            |record| encode(ports, key, record),
        )
    }
}

/// A record that only the service itself has, from the key-value store if it is there and fresh, else from the database.
pub(crate) fn load<P: Ports, R: Record>(
    ports: &P,
    key: &str,
    derive: impl Fn(&P::Conn, Option<&R>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    match Kept::read(ports, key).fresh(ports.now()) {
        Ok(record) => Ok(record),
        Err(kept) => kept.renew(ports, key, derive),
    }
}

/// The record of a scope, or of an updater in it, from the key-value store if it is there and fresh, else from the
/// database, or, at an edge, from the origin.
pub(crate) async fn load_of_scope<P: Ports, R: OfScope>(
    ports: &P,
    scope: &Scope,
    updater: Option<Updater>,
    derive: impl Fn(&P::Conn, Known) -> Result<R, Failure>,
) -> Result<Loaded<R>, Failure> {
    log::about(&scope.owner);
    let key = record_keys::of(scope, updater);
    let kept = match Kept::<R>::read(ports, &key).fresh(ports.now()) {
        Ok(record) => return Ok(record.into()),
        Err(kept) => kept,
    };
    if let Some(base) = origin::url(ports)? {
        let path = origin::record_path(scope, updater);
        return from_origin(ports, &base, &path, &key, kept.record).await;
    }
    let confirm_or_derive = |conn: &P::Conn, kept: Option<&R>| {
        let known = scopes::known(ports, conn, scope)?;
        let now = known.record.stamp();
        match kept.filter(|kept| kept.scope().stamp().still_holds(&now, READ_MAX_AGE_SECONDS)) {
            Some(kept) => Ok(confirmed(kept.clone(), known.record)),
            None => derive(conn, known),
        }
    };
    kept.renew(ports, &key, confirm_or_derive).map(Loaded::from)
}

/// A record whose releases were found to be those of the database, with everything else as it is now.
fn confirmed<R: OfScope>(mut record: R, now: ScopeRecord) -> R {
    let scope = record.scope_mut();
    let (releases, critical) = (take(&mut scope.releases), take(&mut scope.critical));
    *scope = ScopeRecord { releases, critical, read_at: scope.read_at, ..now };
    record
}

/// At an edge: the origin's record, kept for next time; while the origin cannot be asked, the last known one.
async fn from_origin<P: Ports, R: OfScope>(
    ports: &P,
    base: &str,
    path: &str,
    key: &str,
    kept: Option<R>,
) -> Result<Loaded<R>, Failure> {
    let now = ports.now();
    match origin::fetch::<P, R>(ports, base, path).await {
        Ok(mut record) => {
            // Fresh by this deployment's clock.
            record.scope_mut().derived_at = now;
            // If the store fails the next request asks the origin again.
            let _ = match encode(ports, key, &record)? {
                Some(bytes) => ports.set(key, &bytes),
                None => ports.delete(key),
            };
            Ok(record.into())
        }
        Err(Failure::Api(ApiError::Unavailable { internal, public })) => match kept {
            Some(record) => {
                log::warn("the origin is unavailable", &internal);
                let age = (now.as_millis() - record.scope().derived_at.as_millis()) / 1000;
                Ok(Loaded { record, stale_seconds: Some(age.max(0)) })
            }
            None => Err(ApiError::Unavailable { internal, public }.into()),
        },
        Err(failure) => {
            let _ = ports.delete(key);
            Err(failure)
        }
    }
}

/// Derives a record again after a change was committed. What the change has made unanswerable is forgotten.
pub(crate) fn renew_after_change<P: Ports, R: Record>(
    ports: &P,
    key: &str,
    derive: impl Fn() -> Result<R, Failure>,
) -> Result<(), Failure> {
    let renewed = renewal::renew_after_change(ports, key, derive, |record| encode(ports, key, record));
    if renewed.is_err() {
        forget(ports, key);
    }
    match renewed {
        // The change removed what the record is about: nothing may answer for it any more.
        Err(Failure::Api(_)) => Ok(()),
        renewed => renewed,
    }
}

/// Removes a record: the next request derives what it needs. If the store fails it ends by its age.
pub(crate) fn forget(ports: &impl Ports, key: &str) {
    let _ = ports.delete(key);
}

/// A record as it is kept; `None`: nothing in it can answer, or it is too large.
fn encode(ports: &impl Ports, key: &str, record: &impl Record) -> Result<Option<Vec<u8>>, ApiError> {
    if record.is_empty() {
        return Ok(None);
    }
    let bytes = record.to_bytes().map_err(|internal| ApiError::Internal { internal })?;
    if bytes.len() <= MAX_BYTES {
        return Ok(Some(bytes));
    }
    if is_log_due(ports, key) {
        let sizes = format!("{key} has {} bytes, at most {MAX_BYTES} are kept", bytes.len());
        log::warn("a record is too large to be kept", &sizes);
    }
    Ok(None)
}

/// Whether the last log line about a record is long enough ago, in which case this one counts as written. That is in the
/// store: an instance remembers nothing. A store that fails is silent, as nothing is kept then anyway.
fn is_log_due(ports: &impl Ports, key: &str) -> bool {
    let (mark, now) = (record_keys::of_log_line(key), ports.now());
    let Ok(last) = ports.get(&mark) else { return false };
    let last =
        last.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()).map(Timestamp::from_millis);
    let is_due = last.is_none_or(|last| !last.is_within(now, TOO_LARGE_LOG_SECONDS));
    is_due && ports.set(&mark, now.as_millis().to_string().as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spindrift_native::NativePlatform;

    use super::*;

    #[derive(Clone)]
    struct Sized(usize);

    impl Record for Sized {
        fn derived_at(&self) -> Timestamp {
            Timestamp::default()
        }

        fn is_empty(&self) -> bool {
            self.0 == 0
        }

        fn to_bytes(&self) -> Result<Vec<u8>, String> {
            Ok(vec![0; self.0])
        }

        fn from_bytes(bytes: &[u8]) -> Option<Self> {
            Some(Self(bytes.len()))
        }
    }

    #[test]
    fn what_is_empty_or_too_large_is_not_kept() {
        let ports = NativePlatform::new("unused");
        for (size, is_kept) in [(0, false), (1, true), (MAX_BYTES, true), (MAX_BYTES + 1, false)] {
            assert_eq!(encode(&ports, "k", &Sized(size)).unwrap().is_some(), is_kept, "{size}");
        }
    }

    #[test]
    fn a_record_is_said_to_be_too_large_once_a_minute() {
        let ports = NativePlatform::new("unused").with_time(Timestamp::from_millis(1_000_000));
        assert!(is_log_due(&ports, "a"));
        assert!(is_log_due(&ports, "b"), "each record has its own minute");
        ports.advance(Duration::from_mins(1));
        assert!(!is_log_due(&ports, "a"));
        ports.advance(Duration::from_secs(1));
        assert!(is_log_due(&ports, "a"));
        assert!(!is_log_due(&ports, "a"));
        ports.advance(Duration::from_secs(61));
        ports.fail_key_value(true);
        assert!(!is_log_due(&ports, "a"));
    }
}
