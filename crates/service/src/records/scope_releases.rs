//! The published releases of a scope, in the form that records store.

use std::collections::BTreeSet;

use spindrift_core::{
    AdmittedGroups, Conditions, DeviceGroupName, FileContent, GroupSet, Id, MAX_PATCHES_OF_FILE, RecordGroup,
    ScopeArtifact, ScopePatch, ScopeRelease, Timestamp, Version,
};
use spindrift_db::scopes::{PublishedArtifact, PublishedRelease};
use spindrift_db::{SqlConn, device_groups};

use crate::ServiceError;
use crate::links::DownloadLinks;

pub(crate) fn critical_versions<'a>(published: impl Iterator<Item = &'a PublishedRelease>) -> Vec<Version> {
    let mut versions: Vec<_> =
        published.filter(|release| release.critical).map(|release| release.version.clone()).collect();
    versions.dedup();
    versions
}

/// The device groups that the releases of a scope admit, in the order in which the record lists them.
#[derive(Default)]
pub(crate) struct ReleaseGroups(Vec<(DeviceGroupName, RecordGroup)>);

impl ReleaseGroups {
    /// Reads the groups in `admitted_groups`. Does not query the database if there are none.
    pub(crate) fn of<'a>(
        conn: &impl SqlConn,
        app: &Id,
        admitted_groups: impl Iterator<Item = &'a AdmittedGroups>,
    ) -> Result<Self, ServiceError> {
        let names: BTreeSet<_> = admitted_groups.flat_map(AdmittedGroups::iter).collect();
        if names.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self(device_groups::of_record(conn, app, &names.into_iter().collect::<Vec<_>>())?))
    }

    /// The groups in the form that a record stores.
    pub(crate) fn of_record(self) -> Vec<RecordGroup> {
        self.0.into_iter().map(|(_, group)| group).collect()
    }

    fn conditions(&self, release: &PublishedRelease) -> Conditions {
        let position = |name: &DeviceGroupName| self.0.iter().position(|(group, _)| group == name);
        let admitted_groups: GroupSet = release.admitted_groups.iter().filter_map(position).collect();
        Conditions { admitted_groups, requires: release.requires.clone(), cures: release.cures.clone() }
    }
}

/// Groups artifacts, sorted by newest release first, into releases. If several channels offer a release, its
/// files come from the first offer. A release with only patches is left out, because it has no file that they
/// could make.
pub(crate) fn releases(
    published: &[PublishedArtifact],
    groups: &ReleaseGroups,
    links: &DownloadLinks,
    now: Timestamp,
) -> Result<Vec<ScopeRelease>, ServiceError> {
    Ok(identified_releases(published, groups, links, now)?.into_iter().map(|(_, release)| release).collect())
}

/// Like [`releases`], with the ids of the releases.
pub(crate) fn identified_releases(
    published: &[PublishedArtifact],
    groups: &ReleaseGroups,
    links: &DownloadLinks,
    now: Timestamp,
) -> Result<Vec<(Id, ScopeRelease)>, ServiceError> {
    let is_in_one_offer = |one: &PublishedArtifact, other: &PublishedArtifact| {
        (&one.release.id, &one.release.channel_id) == (&other.release.id, &other.release.channel_id)
    };
    let mut releases = Vec::new();
    for artifacts in published.chunk_by(is_in_one_offer) {
        let files = artifacts.iter().filter(|artifact| artifact.patch.is_none());
        let Some(first) = files.clone().next() else { continue };
        let link = |artifact: &PublishedArtifact| {
            let (package, signature) = (artifact.package.clone(), artifact.signature.clone());
            let content = artifact.sha256.clone().map(|sha256| FileContent { length: artifact.size, sha256 });
            let patches = if content.is_some() { patches(artifact, artifacts, links)? } else { Vec::new() };
            Ok(ScopeArtifact { package, url: links.url_of(&artifact.object)?, signature, content, patches })
        };
        add(&mut releases, &first.release, groups, now, || files.map(link).collect())?;
    }
    Ok(releases)
}

/// The releases that have a feed but no files, in the order of `published`.
pub(crate) fn releases_without_files(
    published: &[PublishedRelease],
    groups: &ReleaseGroups,
    now: Timestamp,
) -> Result<Vec<(Id, ScopeRelease)>, ServiceError> {
    let mut releases = Vec::new();
    for offer in published {
        add(&mut releases, offer, groups, now, || Ok(Vec::new()))?;
    }
    Ok(releases)
}

/// Adds an offer: a new release, or a further channel that offers the last release.
fn add(
    releases: &mut Vec<(Id, ScopeRelease)>,
    offer: &PublishedRelease,
    groups: &ReleaseGroups,
    now: Timestamp,
    artifacts: impl FnOnce() -> Result<Vec<ScopeArtifact>, ServiceError>,
) -> Result<(), ServiceError> {
    let (conditions, rollout) = (groups.conditions(offer), offer.rollout.rollout(now));
    let release = match releases.pop_if(|(id, _)| *id == offer.id) {
        Some((_, release)) => release.merge_offer(rollout, conditions.admitted_groups),
        None => ScopeRelease {
            version: offer.version.clone(),
            intermediate: offer.intermediate,
            rollout,
            changelog: offer.changelog.clone(),
            released_at: offer.released_at,
            artifacts: artifacts()?,
            conditions,
        },
    };
    releases.push((offer.id.clone(), release));
    Ok(())
}

/// The patches among a release's artifacts that make `file`, those from the newest version first. Only for a
/// file whose digest is known, because clients could not verify the result otherwise.
fn patches(
    file: &PublishedArtifact,
    artifacts: &[PublishedArtifact],
    links: &DownloadLinks,
) -> Result<Vec<ScopePatch>, ServiceError> {
    let patch = |artifact: &PublishedArtifact| {
        let patch = artifact.patch.clone().filter(|patch| patch.package == file.package)?;
        Some(links.url_of(&artifact.object).map(|url| ScopePatch {
            base_version: patch.base_version,
            base_sha256: patch.base_sha256,
            format: patch.format.to_string(),
            url,
            length: artifact.size,
            sha256: artifact.sha256.clone(),
        }))
    };
    let mut patches: Vec<ScopePatch> = artifacts.iter().filter_map(patch).collect::<Result<_, _>>()?;
    patches.sort_by(|one, other| other.base_version.cmp(&one.base_version));
    patches.truncate(MAX_PATCHES_OF_FILE);
    Ok(patches)
}
