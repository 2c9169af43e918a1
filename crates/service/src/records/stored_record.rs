//! Reading, renewing and deleting a record in the key-value store.

use std::sync::Arc;

use spindrift_core::Timestamp;
use spindrift_web::KeyValueError;

use super::record::Record;
use super::{keys, renewal};
use crate::{Ports, ServiceError, log};

/// Largest record that is stored, in bytes: below the limit of every key-value store of Spin (400 KB).
const MAX_BYTES: usize = 384 * 1024;
/// Seconds between two log lines about a record that is too large.
const TOO_LARGE_LOG_SECONDS: i64 = 60;

/// A record that cannot answer a request, as it was read from the key-value store: outdated, missing, or
/// unknown because the store failed.
///
/// [`load_fresh`](Self::load_fresh) is the way in. It returns either a record that can answer, which is the
/// usual case and costs one read, or a `StoredRecord`. The caller then gets a fresh record in one of three
/// ways: it confirms the outdated one by its owner's revision ([`super::revisions`]), it asks the origin if
/// this deployment is an edge, or it derives the record from the database with [`renew`](Self::renew).
///
/// The bytes stay with the record, because a new value is stored only in place of the one that was read
/// ([`super::renewal`]). Otherwise a slow reader could put back what a change has just replaced.
///
/// A missing record does not mean that its subject does not exist. Only the database can say so.
///
/// ```ignore
/// let stored = match StoredRecord::load_fresh(ports, &key) {
///     Ok(record) => return Ok(record),
///     Err(stored) => stored.unless_overloaded()?,
/// };
/// stored.renew(ports, &key, |conn, outdated| derive(conn, outdated))
/// ```
pub(crate) struct StoredRecord<R> {
    bytes: Option<Vec<u8>>,
    pub(crate) record: Option<R>,
    /// The reason why the store's value is unknown.
    failure: Option<KeyValueError>,
}

impl<R: Record> StoredRecord<R> {
    /// Reads the value of `key`. If the store fails, the request is still answered, only more slowly.
    fn read(ports: &impl Ports, key: &str) -> Self {
        let (bytes, failure) = match ports.get(key) {
            Ok(bytes) => (bytes, None),
            Err(failure) => (None, Some(failure)),
        };
        let record = bytes.as_deref().and_then(R::from_bytes);
        Self { bytes, record, failure }
    }

    /// Whether the store failed, so that its value is unknown.
    pub(crate) fn store_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Fails if the store refused the call because it had too many. The client then has to try again: if the
    /// database or an origin answered instead, a limit that protects the host would move the load to them.
    pub(crate) fn unless_overloaded(self) -> Result<Self, ServiceError> {
        if self.failure == Some(KeyValueError::TooMany) {
            Err(KeyValueError::TooMany.into())
        } else {
            Ok(self)
        }
    }

    /// Loads the record from the instance's memory or the store, if it is fresh enough to answer with.
    /// Otherwise returns the value of the store as `Err`, for the caller to renew.
    pub(crate) fn load_fresh(ports: &impl Ports, key: &str) -> Result<Arc<R>, Self> {
        let now = ports.now();
        let is_fresh =
            |record: &R| record.derived_at().is_within(now, R::MAX_AGE_SECONDS) && !record.is_over(now);
        if let Some(record) = ports.remembered::<R>(key).filter(|record| is_fresh(record)) {
            return Ok(record);
        }
        let read = Self::read(ports, key);
        match read.record {
            Some(record) if is_fresh(&record) => {
                let record = Arc::new(record);
                ports.remember(key, read.bytes.map_or(0, |bytes| bytes.len()), &record);
                Ok(record)
            }
            record => Err(Self { record, ..read }),
        }
    }

    /// Stores `record` in place of the value that was read, unless another process has replaced that in the
    /// meantime. A failure of the store is ignored: the next reader tries again.
    pub(super) fn replace_with(&self, ports: &impl Ports, key: &str, record: &R) -> Result<(), ServiceError> {
        if let (Some(old), Some(bytes)) = (&self.bytes, encode(ports, key, record)?) {
            let _ = ports.replace(key, old, &bytes);
        }
        Ok(())
    }

    /// Derives a record and stores it. `derive` gets the outdated record, which it can confirm with one small
    /// query if the owner has changed nothing.
    pub(crate) fn renew<P: Ports>(
        self,
        ports: &P,
        key: &str,
        derive: impl Fn(&P::Conn, Option<&R>) -> Result<R, ServiceError>,
    ) -> Result<R, ServiceError> {
        let conn = spindrift_db::open(ports, ports.now())?;
        let Self { bytes, record, .. } = self;
        renewal::renew(
            ports,
            key,
            bytes,
            || derive(&conn, record.as_ref()),
            |record| encode(ports, key, record),
        )
    }
}

/// Loads a record that edges do not have: from the key-value store if it is fresh there, else from the
/// database.
pub(crate) fn load<P: Ports, R: Record>(
    ports: &P,
    key: &str,
    derive: impl Fn(&P::Conn, Option<&R>) -> Result<R, ServiceError>,
) -> Result<Arc<R>, ServiceError> {
    match StoredRecord::load_fresh(ports, key) {
        Ok(record) => Ok(record),
        Err(stored) => stored.unless_overloaded()?.renew(ports, key, derive).map(Arc::new),
    }
}

/// Derives a record again after a committed change. If the change removed its subject, the record is deleted.
pub(crate) fn renew_after_change<P: Ports, R: Record>(
    ports: &P,
    key: &str,
    derive: impl Fn() -> Result<R, ServiceError>,
) -> Result<(), ServiceError> {
    let renewed = renewal::renew_after_change(ports, key, derive, |record| encode(ports, key, record));
    if renewed.is_err() {
        forget(ports, key);
    }
    match renewed {
        // The change removed the subject of the record, so no record may answer for it any more.
        Err(error) if error.is_unknown_scope() => Ok(()),
        renewed => renewed,
    }
}

/// Deletes a record; the next request derives a new one. If the store fails, the record lasts until it is too
/// old.
pub(crate) fn forget(ports: &impl Ports, key: &str) {
    let _ = ports.delete(key);
}

/// The bytes to store, or `None` if the record has nothing to answer with or is too large.
pub(crate) fn encode(
    ports: &impl Ports,
    key: &str,
    record: &impl Record,
) -> Result<Option<Vec<u8>>, ServiceError> {
    if record.is_empty() {
        return Ok(None);
    }
    let bytes = record.to_bytes().map_err(ServiceError::Internal)?;
    if bytes.len() <= MAX_BYTES {
        return Ok(Some(bytes));
    }
    if is_log_due(ports, key) {
        let sizes = format!("{key} has {} bytes, at most {MAX_BYTES} are kept", bytes.len());
        log::warn("a record is too large to be kept", &sizes);
    }
    Ok(None)
}

/// Whether the last log line about a record is old enough to write another one. If so, stores the current
/// time as that of the last line, in the key-value store, because an instance keeps no state. If the store
/// fails, nothing is logged, since no record can be stored then either.
fn is_log_due(ports: &impl Ports, key: &str) -> bool {
    let (mark, now) = (keys::of_log_line(key), ports.now());
    let Ok(last) = ports.get(&mark) else { return false };
    let last =
        last.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()).map(Timestamp::from_millis);
    let is_due = last.is_none_or(|last| !last.is_within(now, TOO_LARGE_LOG_SECONDS));
    is_due && ports.set(&mark, now.as_millis().to_string().as_bytes()).is_ok()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use spindrift_db::SqlError;
    use spindrift_native::NativePlatform;
    use spindrift_settings::SettingError;
    use spindrift_web::KeyValue as _;

    use super::*;

    #[derive(Clone, serde::Serialize, serde::Deserialize)]
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
    fn empty_and_too_large_records_are_not_kept() {
        let ports = NativePlatform::new("unused");
        for (size, is_kept) in [(0, false), (1, true), (MAX_BYTES, true), (MAX_BYTES + 1, false)] {
            assert_eq!(encode(&ports, "k", &Sized(size)).unwrap().is_some(), is_kept, "{size}");
        }
    }

    #[test]
    fn only_an_unknown_scope_is_a_removed_subject() {
        let ports = NativePlatform::new("unused");
        let unusable =
            || SettingError::Unusable { name: "s3_public_url", why: "is not an address".to_owned() };
        for (error, is_gone) in [
            (ServiceError::UnknownName("application"), true),
            (ServiceError::NameRequired("channel"), true),
            (ServiceError::Setting(unusable()), false),
            (ServiceError::StorageSetting(unusable()), false),
            (ServiceError::KeyValue(KeyValueError::TooMany), false),
            (ServiceError::Sql(SqlError::Busy), false),
        ] {
            ports.set("k", b"old").unwrap();
            let (name, error) = (format!("{error:?}"), Cell::new(Some(error)));
            let renewed = renew_after_change::<_, Sized>(&ports, "k", || Err(error.take().unwrap()));
            assert_eq!(renewed.is_ok(), is_gone, "{name}");
            assert_eq!(ports.get("k").unwrap(), None, "{name}");
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
