//! Records in the key-value store: what answers the clients of one scope, in one read.
//!
//! A record is derived from the database when it is missing or too old, and again whenever something changes. It is
//! never trusted to say that something does not exist. See `docs/adr/0002-scope-records.md`. There are two kinds,
//! [`crate::scopes`] for checks and [`crate::updater_records`] for native updaters; both live by the rules in here.

use std::mem::take;

use serde::de::DeserializeOwned;
use spindrift_core::{Scope, ScopeRecord, Updater};
use spindrift_web::ApiError;

use crate::scopes::Known;
use crate::{Failure, Ports, log, origin, record_keys, renewal, scopes};

/// Seconds after which a record is derived again: the bound on staleness between deployments that share a database
/// and not a key-value store.
const MAX_AGE_SECONDS: i64 = 60;
/// Seconds after which the releases of a record are read again even if nothing seems to have changed: the bound on whatever
/// makes a revision lie, such as replicas of a database of which one is behind, or a hand in the tables.
const READ_MAX_AGE_SECONDS: i64 = 15 * 60;
/// Largest record that is kept, in bytes: below what every key-value store of Spin takes (400 KB).
const MAX_BYTES: usize = 384 * 1024;

/// What is kept for a scope. An origin sends it to its edges as JSON.
pub(crate) trait Record: Clone + DeserializeOwned + PartialEq {
    /// What every kind of record holds.
    fn scope(&self) -> &ScopeRecord;
    /// As [`Record::scope`], to be changed.
    fn scope_mut(&mut self) -> &mut ScopeRecord;
    /// As the store has it; `Err` is for the log.
    fn to_bytes(&self) -> Result<Vec<u8>, String>;
    /// From what the store has; `None`: something else.
    fn from_bytes(bytes: &[u8]) -> Option<Self>;
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

/// The record of a scope, or of an updater in it, from the key-value store if it is there and fresh, else from the
/// database, or, at an edge, from the origin. A record that is only too old is not derived again if the database says that
/// nothing of the owner has changed: that is one small query.
pub(crate) async fn load<P: Ports, R: Record>(
    ports: &P,
    scope: &Scope,
    updater: Option<Updater>,
    derive: impl Fn(&P::Conn, Known) -> Result<R, Failure>,
) -> Result<Loaded<R>, Failure> {
    log::about(&scope.owner);
    let (key, now) = (record_keys::of(scope, updater), ports.now());
    // A failing key-value store costs time, not answers.
    let bytes = ports.get(&key).ok().flatten();
    let kept = bytes.as_deref().and_then(R::from_bytes);
    match kept {
        Some(record) if record.scope().is_fresh(now, MAX_AGE_SECONDS) => Ok(record.into()),
        kept => match origin::url(ports)? {
            None => {
                let conn = spindrift_db::open(ports, now)?;
                let derive = || {
                    let known = scopes::known(ports, &conn, scope)?;
                    match kept
                        .as_ref()
                        .filter(|kept| kept.scope().still_holds(&known.record, READ_MAX_AGE_SECONDS))
                    {
                        Some(kept) => Ok(confirmed(kept.clone(), known.record)),
                        None => derive(&conn, known),
                    }
                };
                renewal::renew(ports, &key, bytes, derive, encode).map(Loaded::from)
            }
            Some(base) => from_origin(ports, &base, &origin::record_path(scope, updater), &key, kept).await,
        },
    }
}

/// A record whose releases were found to be those of the database, with everything else as it is now.
fn confirmed<R: Record>(mut record: R, now: ScopeRecord) -> R {
    let scope = record.scope_mut();
    let (releases, critical) = (take(&mut scope.releases), take(&mut scope.critical));
    *scope = ScopeRecord { releases, critical, read_at: scope.read_at, ..now };
    record
}

/// At an edge: the origin's record, kept for next time; while the origin cannot be asked, the last known one.
async fn from_origin<P: Ports, R: Record>(
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
            let _ = match encode(&record)? {
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
    scope: &Scope,
    updater: Option<Updater>,
    derive: impl Fn() -> Result<R, Failure>,
) -> Result<(), Failure> {
    let renewed = renewal::renew_after_change(ports, &record_keys::of(scope, updater), derive, encode);
    if renewed.is_err() {
        forget(ports, scope, updater);
    }
    match renewed {
        // The change removed what the scope names: nothing may answer for it any more.
        Err(Failure::Api(_)) => Ok(()),
        renewed => renewed,
    }
}

/// Removes a record: the next request derives what it needs. If the store fails it ends by its age.
pub(crate) fn forget(ports: &impl Ports, scope: &Scope, updater: Option<Updater>) {
    let _ = ports.delete(&record_keys::of(scope, updater));
}

/// A record as it is kept; `None`: nothing in it can answer, or it is too large.
fn encode(record: &impl Record) -> Result<Option<Vec<u8>>, ApiError> {
    if record.scope().releases.is_empty() {
        return Ok(None);
    }
    let bytes = record.to_bytes().map_err(|internal| ApiError::Internal { internal })?;
    Ok((bytes.len() <= MAX_BYTES).then_some(bytes))
}
