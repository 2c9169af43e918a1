//! Updater records: each answers the clients of one native updater in one scope. See [`crate::records`].

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use spindrift_core::feeds::{FeedPart, UpdaterRecord};
use spindrift_core::{
    Id, RecordGroup, Scope, ScopeRecord, ScopeRelease, Stops, Target, Timestamp, Updater, Version,
    WhenUnknown, keep_critical,
};
use spindrift_db::SqlConn;
use spindrift_db::offered::PublishedArtifacts;
use spindrift_db::release_feeds::{self, PublishedFeed};
use spindrift_db::scopes as db;
use spindrift_db::scopes::PublishedArtifact;

use super::record::{Loaded, Record, ScopedRecord};
use super::resolved_scope::ResolvedScope;
use super::scope_releases::{ReleaseGroups, critical_versions, identified_releases, releases_without_files};
use super::{keys, scoped_records, stored_record};
use crate::links::DownloadLinks;
use crate::{Ports, ServiceError};

/// Stored as JSON: a feed can have one of several types, which only a format with field names can
/// distinguish.
impl Record for UpdaterRecord {
    fn derived_at(&self) -> Timestamp {
        self.scope.derived_at
    }

    fn is_empty(&self) -> bool {
        self.scope.releases.is_empty()
    }

    fn valid_until(&self) -> Option<Timestamp> {
        self.scope.valid_until
    }

    fn to_bytes(&self) -> Result<Vec<u8>, String> {
        serde_json::to_vec(self).map_err(|error| error.to_string())
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }
}

impl ScopedRecord for UpdaterRecord {
    fn scope(&self) -> &ScopeRecord {
        &self.scope
    }

    fn scope_mut(&mut self) -> &mut ScopeRecord {
        &mut self.scope
    }
}

/// The record of an updater in a scope. Fails if the scope does not exist, but does not check whether the
/// platform offers the updater.
pub async fn load<P: Ports>(
    ports: &P,
    scope: &Scope,
    updater: Updater,
) -> Result<Loaded<UpdaterRecord>, ServiceError> {
    scoped_records::load(ports, scope, Some(updater), |conn, resolved| derive(conn, &resolved, updater)).await
}

/// Deletes the records of all updaters in a scope after a committed change; the next requests derive new
/// ones. If the store fails, they last until they are too old.
pub(crate) fn forget(ports: &impl Ports, scope: &Scope) {
    for updater in Updater::ALL.into_iter().filter(|updater| *updater != Updater::Manual) {
        stored_record::forget(ports, &keys::of(scope, Some(updater)));
    }
}

/// Derives the record from the current data.
pub(crate) fn derive(
    conn: &impl SqlConn,
    resolved: &ResolvedScope,
    updater: Updater,
) -> Result<UpdaterRecord, ServiceError> {
    derive_from(conn, resolved, updater, PublishedArtifacts::Offered)
}

/// Derives the record from the releases in `selection` alone.
pub(crate) fn derive_from(
    conn: &impl SqlConn,
    resolved: &ResolvedScope,
    updater: Updater,
    selection: PublishedArtifacts,
) -> Result<UpdaterRecord, ServiceError> {
    let (mut scope, stops) = (resolved.record.clone(), resolved.stops(conn)?);
    let InstallableReleases { releases, critical, groups } =
        installable_releases(conn, resolved, updater, selection)?;
    let mut feeds = Vec::new();
    for InstallableRelease { release, feed, .. } in releases {
        scope.releases.push(release);
        feeds.extend(feed);
    }
    scope.groups = groups;
    Ok(prune(scope, feeds, critical, stops))
}

/// The releases that an updater's clients can install in a scope.
pub(super) struct InstallableReleases {
    /// Newest first.
    pub(super) releases: Vec<InstallableRelease>,
    pub(super) critical: Vec<Version>,
    pub(super) groups: Vec<RecordGroup>,
}

/// A release that an updater's clients can install.
pub(super) struct InstallableRelease {
    pub(super) id: Id,
    /// Without links if it has a feed.
    pub(super) release: ScopeRelease,
    /// `None`: the updater has no feeds.
    feed: Option<Vec<FeedPart>>,
}

pub(super) fn installable_releases(
    conn: &impl SqlConn,
    resolved: &ResolvedScope,
    updater: Updater,
    selection: PublishedArtifacts,
) -> Result<InstallableReleases, ServiceError> {
    let (app, at) = (&resolved.record.app_id, resolved.record.read_at);
    let mut published = db::published(conn, app, &resolved.target, selection, at)?;
    let mut critical = critical_versions(published.iter().map(|artifact| &artifact.release));
    let mut parts = if updater.keeps_file_names() {
        Some(feed_parts(conn, resolved, updater, selection, &published)?)
    } else {
        published.retain(|artifact| is_installable(updater, artifact));
        None
    };
    let is_without_files =
        |id: &Id| !published.iter().any(|artifact| artifact.release.id == *id && artifact.patch.is_none());
    // These releases only inform people.
    let informing = match &parts {
        Some(parts) if parts.keys().any(is_without_files) => {
            db::published_without_files(conn, app, &resolved.target, updater, at)?
        }
        _ => Vec::new(),
    };
    critical.extend(critical_versions(informing.iter()));
    let admitted_groups = published.iter().map(|artifact| &artifact.release.admitted_groups);
    let groups = ReleaseGroups::of(
        conn,
        app,
        admitted_groups.chain(informing.iter().map(|offer| &offer.admitted_groups)),
    )?;
    let installable = |(id, release)| {
        let Some(parts) = &mut parts else { return Some(InstallableRelease { id, release, feed: None }) };
        // A release is offered only if the scope's own architecture can install it.
        let parts = parts.remove(&id).filter(|parts| parts.first().is_some_and(|(own, _)| *own))?;
        let feed: Vec<FeedPart> = parts.into_iter().map(|(_, part)| part).collect();
        let release = ScopeRelease { artifacts: Vec::new(), ..relax_minimum_system(release, &feed) };
        Some(InstallableRelease { id, release, feed: Some(feed) })
    };
    let mut releases = identified_releases(&published, &groups, &resolved.links, at)?;
    releases.extend(releases_without_files(&informing, &groups, at)?);
    releases.sort_by(|(_, one), (_, other)| other.version.cmp(&one.version));
    let releases = releases.into_iter().filter_map(installable).collect();
    Ok(InstallableReleases { releases, critical, groups: groups.of_record() })
}

/// If a feed states a lowest version of the system, clients that do not send theirs compare it themselves.
fn relax_minimum_system(mut release: ScopeRelease, feed: &[FeedPart]) -> ScopeRelease {
    let has_minimum = feed.iter().all(|part| part.feed.has_minimum_system());
    if let Some(requires) = release.conditions.requires.as_mut().filter(|_| has_minimum) {
        requires.unknown = WhenUnknown::Offer;
    }
    release
}

/// Whether an updater without feeds can install the artifact. Patches remain for the files that they make, and
/// count for nothing without them.
fn is_installable(updater: Updater, artifact: &PublishedArtifact) -> bool {
    artifact.patch.is_some() || updater.is_installable(&artifact.package, artifact.signature.is_some())
}

fn prune(
    scope: ScopeRecord,
    feeds: Vec<Vec<FeedPart>>,
    critical: Vec<Version>,
    stops: Stops,
) -> UpdaterRecord {
    let mut record = UpdaterRecord { scope, feeds, feed_names: Vec::new() }.pruned();
    record.scope.critical = keep_critical(critical, &record.scope.releases);
    UpdaterRecord { scope: record.scope.with_stops(stops), ..record }
}

/// The feeds of each release, and whether each is for the scope's own architecture, which comes first.
type FeedParts = BTreeMap<Id, Vec<(bool, FeedPart)>>;

/// The parts of the feeds that name existing files. Other architectures are included if one feed may list
/// all.
fn feed_parts(
    conn: &impl SqlConn,
    resolved: &ResolvedScope,
    updater: Updater,
    selection: PublishedArtifacts,
    published: &[PublishedArtifact],
) -> Result<FeedParts, ServiceError> {
    let links = &resolved.links;
    let own_arch = resolved.target.arch_id.as_ref();
    let mut files = BTreeMap::from([(own_arch.cloned(), file_urls(published, links)?)]);
    let (mut parts, none) = (FeedParts::new(), BTreeMap::new());
    let at = resolved.record.read_at;
    for published in release_feeds::published(conn, &resolved.record.app_id, &resolved.target, updater, at)? {
        let PublishedFeed { release_id, arch, file_name, feed } = published;
        let (arch_id, arch) = arch.unzip();
        let is_own = arch_id.as_ref() == own_arch;
        if !is_own && !updater.lists_all_archs() {
            continue;
        }
        if !files.contains_key(&arch_id) {
            let target = Target { arch_id: arch_id.clone(), ..resolved.target.clone() };
            let others = db::published(conn, &resolved.record.app_id, &target, selection, at)?;
            files.insert(arch_id.clone(), file_urls(&others, links)?);
        }
        // A release without files may still have a feed, whose item only informs people.
        let of_release = files.get(&arch_id).and_then(|files| files.get(&release_id));
        let links = of_release.unwrap_or(&none);
        if let Some(feed) = feed.only_with(&|name| links.contains_key(name)) {
            let part = FeedPart { arch, feed_name: file_name, feed, links: links.clone() };
            parts.entry(release_id).or_default().push((is_own, part));
        }
    }
    Ok(parts)
}

/// The URLs of each release's files, by name.
fn file_urls(
    published: &[PublishedArtifact],
    links: &DownloadLinks,
) -> Result<BTreeMap<Id, BTreeMap<String, String>>, ServiceError> {
    let mut urls: BTreeMap<Id, BTreeMap<String, String>> = BTreeMap::new();
    for artifact in published {
        let of_release = urls.entry(artifact.release.id.clone()).or_default();
        // If there are several offers, the files come from the first one.
        if let Entry::Vacant(entry) = of_release.entry(artifact.file_name.to_string()) {
            entry.insert(links.url_of(&artifact.object)?);
        }
    }
    Ok(urls)
}
