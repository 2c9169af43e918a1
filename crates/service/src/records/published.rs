//! The published releases of a scope, as kept in records.

use spindrift_core::{Id, ScopeArtifact, ScopeRelease, Timestamp, Version};
use spindrift_db::scopes::PublishedArtifact;

use crate::ServiceError;
use crate::links::Links;

pub(crate) fn critical_versions(published: &[PublishedArtifact]) -> Vec<Version> {
    let mut versions: Vec<_> = published.iter().filter(|a| a.critical).map(|a| a.version.clone()).collect();
    versions.dedup();
    versions
}

/// Groups artifacts, sorted by newest release first, into releases.
pub(crate) fn releases(
    published: Vec<PublishedArtifact>,
    links: &Links,
    now: Timestamp,
) -> Result<Vec<ScopeRelease>, ServiceError> {
    Ok(identified_releases(published, links, now)?.into_iter().map(|(_, release)| release).collect())
}

/// Like [`releases`], with the ids of the releases.
pub(crate) fn identified_releases(
    published: Vec<PublishedArtifact>,
    links: &Links,
    now: Timestamp,
) -> Result<Vec<(Id, ScopeRelease)>, ServiceError> {
    let mut releases: Vec<(Id, ScopeRelease)> = Vec::new();
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
                    rollout: artifact.rollout.rollout(now),
                    changelog: artifact.changelog,
                    released_at: artifact.released_at,
                    artifacts: vec![link],
                },
            )),
        }
    }
    Ok(releases)
}
