//! Scope records: all that answers the checks of one scope, in the key-value store.
//!
//! A record is derived from the database when it is missing or too old, and again whenever something changes. It is
//! never trusted to say that something does not exist. See `docs/adr/0002-scope-records.md`.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use spindrift_core::{
    PlatformUpdaters, Scope, ScopeArtifact, ScopeRecord, ScopeRelease, Target, UserName, keep_answers,
};
use spindrift_db::scopes::{Dimension, PublishedArtifact, ScopesOf};
use spindrift_db::{SqlConn, scopes};
use spindrift_web::ApiError;
use spindrift_web::response::push_hex;

use crate::links::Links;
use crate::{Failure, Ports, log, origin, renewal, static_answers, updater_records};

/// Seconds after which a record is derived again: the bound on staleness between deployments that share a database
/// and not a key-value store.
pub const RECORD_MAX_AGE_SECONDS: i64 = 60;
/// Largest record that is kept, in bytes: below what every key-value store of Spin takes (400 KB).
const RECORD_MAX_BYTES: usize = 384 * 1024;

/// A record, and how trustworthy it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The record.
    pub record: ScopeRecord,
    /// At an edge whose origin cannot be asked: the record's age in seconds. `None`: it is as fresh as it should be.
    pub stale_seconds: Option<i64>,
}

impl From<ScopeRecord> for Loaded {
    fn from(record: ScopeRecord) -> Self {
        Self { record, stale_seconds: None }
    }
}

/// The record of a scope, from the key-value store if it is there and fresh, else from the database, or, at an edge,
/// from the origin.
pub async fn load<P: Ports>(ports: &P, scope: &Scope) -> Result<Loaded, Failure> {
    log::about(&scope.owner);
    let now = ports.now();
    // A failing key-value store costs time, not answers.
    let bytes = ports.get(&record_key(scope)).ok().flatten();
    let kept = bytes.as_deref().and_then(|bytes| serde_json::from_slice::<ScopeRecord>(bytes).ok());
    match kept {
        Some(record) if record.is_fresh(now, RECORD_MAX_AGE_SECONDS) => Ok(record.into()),
        kept => match origin::url(ports)? {
            None => {
                let conn = spindrift_db::open(ports, now)?;
                renewal::renew(ports, &record_key(scope), bytes, || record(ports, &conn, scope), encode)
                    .map(Loaded::from)
            }
            Some(base) => from_origin(ports, &base, scope, kept).await,
        },
    }
}

/// At an edge: the origin's record, kept for next time; while the origin cannot be asked, the last known one.
async fn from_origin<P: Ports>(
    ports: &P,
    base: &str,
    scope: &Scope,
    kept: Option<ScopeRecord>,
) -> Result<Loaded, Failure> {
    let now = ports.now();
    match origin::fetch(ports, base, &origin::record_path(scope, None)).await {
        Ok(record) => {
            // Fresh by this deployment's clock.
            let record = ScopeRecord { derived_at: now, ..record };
            keep(ports, scope, &record)?;
            Ok(record.into())
        }
        Err(Failure::Api(ApiError::Unavailable { internal, public })) => match kept {
            Some(record) => {
                log::warn("the origin is unavailable", &internal);
                let age = (now.as_millis() - record.derived_at.as_millis()) / 1000;
                Ok(Loaded { record, stale_seconds: Some(age.max(0)) })
            }
            None => Err(ApiError::Unavailable { internal, public }.into()),
        },
        Err(failure) => {
            forget(ports, scope);
            Err(failure)
        }
    }
}

/// Keeps a record that came from the origin.
fn keep<P: Ports>(ports: &P, scope: &Scope, record: &ScopeRecord) -> Result<(), Failure> {
    match encode(record)? {
        // If the store fails the next check asks the origin again.
        Some(bytes) => drop(ports.set(&record_key(scope), &bytes)),
        None => forget(ports, scope),
    }
    Ok(())
}

/// A record as it is kept. `None`: nothing in it can answer, or it is too large.
fn encode(record: &ScopeRecord) -> Result<Option<Vec<u8>>, ApiError> {
    if record.releases.is_empty() {
        return Ok(None);
    }
    encode_record(record)
}

/// A record as it is kept; `None`: it is too large.
pub(crate) fn encode_record(record: &impl serde::Serialize) -> Result<Option<Vec<u8>>, ApiError> {
    let bytes =
        serde_json::to_vec(record).map_err(|error| ApiError::Internal { internal: error.to_string() })?;
    Ok((bytes.len() <= RECORD_MAX_BYTES).then_some(bytes))
}

/// Derives the records of the scopes again after a change was committed, so that the next check sees it, and removes
/// the static answers of their applications.
pub async fn refresh<P: Ports>(ports: &P, conn: &P::Conn, scopes: &[Scope]) -> Result<(), Failure> {
    refresh_records(ports, conn, scopes)?;
    let apps: BTreeSet<_> = scopes.iter().map(|scope| (&scope.owner, &scope.app)).collect();
    for (owner, app) in apps {
        static_answers::remove(ports, conn, owner, app).await?;
    }
    Ok(())
}

fn refresh_records<P: Ports>(ports: &P, conn: &P::Conn, scopes: &[Scope]) -> Result<(), Failure> {
    for scope in scopes {
        updater_records::forget(ports, scope);
        let derive = || record(ports, conn, scope);
        match renewal::renew_after_change(ports, &record_key(scope), derive, encode) {
            Ok(()) => {}
            // The change removed what the scope names: nothing may answer for it any more.
            Err(Failure::Api(_)) => forget(ports, scope),
            Err(error) => {
                forget(ports, scope);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// The scopes of an owner, an application or a release whose records a change can make stale.
pub fn affected<C: SqlConn>(conn: &C, of: ScopesOf<'_>) -> Result<Vec<Scope>, Failure> {
    Ok(scopes::with_artifacts(conn, of)?)
}

fn forget(ports: &impl Ports, scope: &Scope) {
    // If the store fails the record ends by its age.
    let _ = ports.delete(&record_key(scope));
}

/// The record of a scope as the database has it now.
fn record<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<ScopeRecord, Failure> {
    derive(ports, conn, scope).map(|(record, _)| record)
}

/// The revision of the owner's data at which a record still says what the database says; `None`: it does not any
/// more. A record keeps the revision that it was derived at while other things of the owner change.
pub(crate) fn confirmed_revision<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    scope: &Scope,
    record: &ScopeRecord,
) -> Result<Option<i64>, Failure> {
    let (now, owner_id) = derive(ports, conn, scope)?;
    let revision = now.revision;
    let now = ScopeRecord { derived_at: record.derived_at, revision: record.revision, ..now };
    let unchanged = now == *record && scopes::revision(conn, &owner_id)? == Some(revision);
    Ok(unchanged.then_some(revision))
}

fn derive<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    scope: &Scope,
) -> Result<(ScopeRecord, spindrift_core::Id), Failure> {
    let known = known(ports, conn, scope)?;
    let published = scopes::published(conn, &known.record.app_id, &known.target)?;
    let record = ScopeRecord {
        critical: critical_versions(&published),
        releases: keep_answers(releases(published, &Links::new(ports)?)?),
        ..known.record
    };
    Ok((record, known.owner_id))
}

/// A scope whose names are all known.
pub(crate) struct Known {
    /// The record, with no release yet.
    pub(crate) record: ScopeRecord,
    pub(crate) owner_id: spindrift_core::Id,
    pub(crate) target: Target,
}

/// Looks a scope up: 404 for what is not there, 400 for a dimension that is missing.
pub(crate) fn known<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<Known, Failure> {
    let names = scopes::names(conn, scope)?.ok_or_else(|| ApiError::not_found(UserName::KIND))?;
    let (app_id, flags) = names.app.ok_or_else(|| ApiError::not_found("application"))?;
    let target = Target {
        channel_id: dimension(names.channel, "channel")?,
        platform_id: dimension(names.platform, "platform")?,
        arch_id: dimension(names.arch, "arch")?,
    };
    let record = ScopeRecord {
        app_id,
        cdn: flags.cdn,
        derived_at: ports.now(),
        revision: names.revision,
        updaters: names.updaters.unwrap_or_else(PlatformUpdaters::default),
        critical: Vec::new(),
        releases: Vec::new(),
    };
    Ok(Known { record, owner_id: names.owner_id, target })
}

fn dimension(dimension: Dimension, name: &str) -> Result<Option<spindrift_core::Id>, ApiError> {
    match dimension {
        Dimension::Known(id) => Ok(Some(id)),
        Dimension::Unused => Ok(None),
        Dimension::Unknown => Err(ApiError::not_found(name)),
        Dimension::Required => Err(ApiError::bad_request(format!("{name} is required"))),
    }
}

pub(crate) fn critical_versions(published: &[PublishedArtifact]) -> Vec<spindrift_core::Version> {
    let mut versions: Vec<_> = published.iter().filter(|a| a.critical).map(|a| a.version.clone()).collect();
    versions.dedup();
    versions
}

/// Groups artifacts, which come newest release first, into releases.
fn releases(published: Vec<PublishedArtifact>, links: &Links) -> Result<Vec<ScopeRelease>, ApiError> {
    Ok(identified_releases(published, links)?.into_iter().map(|(_, release)| release).collect())
}

/// As [`releases`], with the identifiers.
pub(crate) fn identified_releases(
    published: Vec<PublishedArtifact>,
    links: &Links,
) -> Result<Vec<(spindrift_core::Id, ScopeRelease)>, ApiError> {
    let mut releases: Vec<(spindrift_core::Id, ScopeRelease)> = Vec::new();
    for artifact in published {
        let link = ScopeArtifact {
            package: artifact.package,
            url: links.to(&artifact.object)?,
            signature: artifact.signature,
        };
        match releases.last_mut() {
            Some((id, release)) if *id == artifact.release_id => release.artifacts.push(link),
            _ => releases.push((
                artifact.release_id,
                ScopeRelease {
                    version: artifact.version,
                    intermediate: artifact.intermediate,
                    rollout: artifact.rollout,
                    changelog: artifact.changelog,
                    released_at: artifact.released_at,
                    artifacts: vec![link],
                },
            )),
        }
    }
    Ok(releases)
}

/// `scope.` and a digest: names hold characters that keys may not, and together are longer than a key. No name holds
/// a line end, so scopes cannot run into each other.
fn record_key(scope: &Scope) -> String {
    scope_key("scope.1.", scope)
}

/// A key that begins with `kind` and ends in 40 hexadecimal digits for the names of a scope.
pub(crate) fn scope_key(kind: &str, scope: &Scope) -> String {
    let mut hash = Sha256::new();
    let parts = [
        Some(scope.owner.as_str()),
        Some(scope.app.as_str()),
        scope.channel.as_ref().map(spindrift_core::ChannelName::as_str),
        scope.platform.as_ref().map(spindrift_core::PlatformName::as_str),
        scope.arch.as_ref().map(spindrift_core::ArchName::as_str),
    ];
    for part in parts {
        hash.update(part.unwrap_or_default());
        hash.update("\n");
    }
    let mut key = String::with_capacity(kind.len() + 40);
    key.push_str(kind);
    push_hex(&mut key, &hash.finalize()[..20]);
    key
}
