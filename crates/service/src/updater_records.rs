//! Updater records: all that answers the clients of one native updater in one scope, in the key-value store beside the
//! scope record. Kept, renewed and forgotten by the same rules; see [`crate::scopes`].

use std::collections::BTreeMap;

use spindrift_core::feeds::{FeedPart, UpdaterRecord};
use spindrift_core::{Id, Scope, ScopeRelease, Target, Updater, keep_answers};
use spindrift_db::release_feeds::{self, PublishedFeed};
use spindrift_db::scopes as db;
use spindrift_db::scopes::PublishedArtifact;
use spindrift_web::ApiError;

use crate::links::Links;
use crate::scopes::{
    RECORD_MAX_AGE_SECONDS, critical_versions, encode_record, identified_releases, known, scope_key,
};
use crate::{Failure, Ports, log, origin, renewal};

/// A record, and how trustworthy it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedUpdater {
    /// The record.
    pub record: UpdaterRecord,
    /// At an edge whose origin cannot be asked: the record's age in seconds. `None`: it is as fresh as it should be.
    pub stale_seconds: Option<i64>,
}

/// The record of an updater in a scope, from the key-value store if it is there and fresh, else from the database, or,
/// at an edge, from the origin. Errors are those of the scope; whether the platform has the updater is not looked at.
pub async fn load<P: Ports>(ports: &P, scope: &Scope, updater: Updater) -> Result<LoadedUpdater, Failure> {
    log::about(&scope.owner);
    let (key, now) = (record_key(scope, updater), ports.now());
    // A failing key-value store costs time, not answers.
    let bytes = ports.get(&key).ok().flatten();
    let kept = bytes.as_deref().and_then(|bytes| serde_json::from_slice::<UpdaterRecord>(bytes).ok());
    match kept {
        Some(record) if record.scope.is_fresh(now, RECORD_MAX_AGE_SECONDS) => Ok(fresh(record)),
        kept => match origin::url(ports)? {
            None => {
                let conn = spindrift_db::open(ports, now)?;
                let derive = || derive(ports, &conn, &known(ports, &conn, scope)?, updater);
                renewal::renew(ports, &key, bytes, derive, encode).map(fresh)
            }
            Some(base) => from_origin(ports, &base, scope, updater, kept).await,
        },
    }
}

fn fresh(record: UpdaterRecord) -> LoadedUpdater {
    LoadedUpdater { record, stale_seconds: None }
}

async fn from_origin<P: Ports>(
    ports: &P,
    base: &str,
    scope: &Scope,
    updater: Updater,
    kept: Option<UpdaterRecord>,
) -> Result<LoadedUpdater, Failure> {
    let (key, now) = (record_key(scope, updater), ports.now());
    match origin::fetch::<P, UpdaterRecord>(ports, base, &origin::record_path(scope, Some(updater))).await {
        Ok(mut record) => {
            // Fresh by this deployment's clock.
            record.scope.derived_at = now;
            // If the store fails the next request asks the origin again.
            let _ = match encode(&record)? {
                Some(bytes) => ports.set(&key, &bytes),
                None => ports.delete(&key),
            };
            Ok(fresh(record))
        }
        Err(Failure::Api(ApiError::Unavailable { internal, public })) => match kept {
            Some(record) => {
                log::warn("the origin is unavailable", &internal);
                let age = (now.as_millis() - record.scope.derived_at.as_millis()) / 1000;
                Ok(LoadedUpdater { record, stale_seconds: Some(age.max(0)) })
            }
            None => Err(ApiError::Unavailable { internal, public }.into()),
        },
        Err(failure) => {
            let _ = ports.delete(&key);
            Err(failure)
        }
    }
}

/// Forgets the records of all updaters of a scope, after a change was committed: the next client's request derives
/// what it needs. If the store fails they end by their age.
pub(crate) fn forget(ports: &impl Ports, scope: &Scope) {
    for updater in Updater::ALL.into_iter().filter(|updater| *updater != Updater::Manual) {
        let _ = ports.delete(&record_key(scope, updater));
    }
}

/// As [`crate::scopes::confirmed_revision`], for an updater's record.
pub(crate) fn confirmed_revision<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    scope: &Scope,
    updater: Updater,
    record: &UpdaterRecord,
) -> Result<Option<i64>, Failure> {
    let known = known(ports, conn, scope)?;
    let mut now = derive(ports, conn, &known, updater)?;
    let revision = now.scope.revision;
    (now.scope.derived_at, now.scope.revision) = (record.scope.derived_at, record.scope.revision);
    let unchanged = now == *record && db::revision(conn, &known.owner_id)? == Some(revision);
    Ok(unchanged.then_some(revision))
}

/// A record as it is kept. `None`: nothing in it can answer, or it is too large.
fn encode(record: &UpdaterRecord) -> Result<Option<Vec<u8>>, ApiError> {
    if record.scope.releases.is_empty() { Ok(None) } else { encode_record(record) }
}

fn derive<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    known: &crate::scopes::Known,
    updater: Updater,
) -> Result<UpdaterRecord, Failure> {
    let (app, links) = (&known.record.app_id, Links::new(ports)?);
    let published = db::published(conn, app, &known.target)?;
    let mut scope = known.record.clone();
    scope.critical = critical_versions(&published);
    if !updater.keeps_file_names() {
        let wanted =
            |a: &PublishedArtifact| UpdaterRecord::is_installable(updater, &a.package, a.signature.is_some());
        let published = published.into_iter().filter(wanted).collect();
        let releases = identified_releases(published, &links)?;
        scope.releases = keep_answers(releases.into_iter().map(|(_, release)| release).collect());
        return Ok(UpdaterRecord { scope, feeds: Vec::new() });
    }
    let parts = parts(conn, known, updater, &published, &links)?;
    let mut feeds = Vec::new();
    for (id, release) in identified_releases(published, &links)? {
        // Only what the scope's own architecture can install is offered in it.
        if let Some(parts) = parts.get(&id).filter(|parts| parts.first().is_some_and(|(own, _)| *own)) {
            feeds.push(parts.iter().map(|(_, part)| part.clone()).collect());
            scope.releases.push(ScopeRelease { artifacts: Vec::new(), ..release });
        }
    }
    Ok(UpdaterRecord { scope, feeds })
}

/// By release its feeds, and whether each is of the scope's own architecture, which comes first.
type Parts = BTreeMap<Id, Vec<(bool, FeedPart)>>;

/// What of the feeds names files that are there. Other architectures count for the updater that has one feed for all.
fn parts(
    conn: &impl spindrift_db::SqlConn,
    known: &crate::scopes::Known,
    updater: Updater,
    published: &[PublishedArtifact],
    links: &Links,
) -> Result<Parts, Failure> {
    let own_arch = known.target.arch_id.as_ref();
    let mut files = BTreeMap::from([(own_arch.cloned(), addresses(published, links)?)]);
    let mut parts = Parts::new();
    for found in release_feeds::published(conn, &known.record.app_id, &known.target, updater)? {
        let PublishedFeed { release_id, arch, file_name, feed } = found;
        let (arch_id, arch) = arch.unzip();
        let is_own = arch_id.as_ref() == own_arch;
        if !is_own && updater != Updater::ElectronBuilder {
            continue;
        }
        if !files.contains_key(&arch_id) {
            let target = Target { arch_id: arch_id.clone(), ..known.target.clone() };
            let others = db::published(conn, &known.record.app_id, &target)?;
            files.insert(arch_id.clone(), addresses(&others, links)?);
        }
        let Some(links) = files.get(&arch_id).and_then(|files| files.get(&release_id)) else { continue };
        if let Some(feed) = feed.only_with(&|name| links.contains_key(name)) {
            let part = FeedPart { arch, feed_name: file_name, feed, links: links.clone() };
            parts.entry(release_id).or_default().push((is_own, part));
        }
    }
    Ok(parts)
}

/// By release the addresses of its files, by name.
fn addresses(
    published: &[PublishedArtifact],
    links: &Links,
) -> Result<BTreeMap<Id, BTreeMap<String, String>>, ApiError> {
    let mut addresses: BTreeMap<Id, BTreeMap<String, String>> = BTreeMap::new();
    for artifact in published {
        let of_release = addresses.entry(artifact.release_id.clone()).or_default();
        of_release.insert(artifact.file_name.to_string(), links.to(&artifact.object)?);
    }
    Ok(addresses)
}

fn record_key(scope: &Scope, updater: Updater) -> String {
    format!("{}.{updater}", scope_key("feed.1.", scope))
}
