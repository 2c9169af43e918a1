//! The targets of a repository whose targets role the service signs.

use std::collections::BTreeMap;

use spindrift_core::{Id, Target, Version};
use spindrift_db::listings::{self, ListedArtifact, ListingFilter};
use spindrift_db::offered::PublishedArtifacts;
use spindrift_db::releases;
use spindrift_service::Ports;
use spindrift_trust::{KeepCount, TargetFiles};

use crate::answerable_releases::AnswerableReleases;
use crate::error::RepositoryError;
use crate::lease::RepositoryLease;
use crate::repository::Repository;
use crate::{digests, recorded_targets};

/// How long before its time a scheduled release is listed, in seconds. Longer than the time between two runs
/// of maintenance.
pub(crate) const LISTED_AHEAD_SECONDS: i64 = 15 * 60;

/// The targets that the service lists now.
pub(crate) struct ServiceTargets {
    pub(crate) files: TargetFiles,
    /// Whether the list is complete. Files whose digests are not known yet wait for the next commit.
    pub(crate) is_whole: bool,
}

/// The targets that the service lists. Digests that were never compared with the stored bytes are computed
/// first, as many as one call may.
pub(crate) async fn service_targets<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    repository: &Repository,
) -> Result<ServiceTargets, RepositoryError> {
    let keep = KeepCount::from_number(repository.row.settings.keep)
        .ok_or_else(|| RepositoryError::corrupt("setting"))?;
    let chosen = || artifacts(lease, keep);
    let artifacts = chosen()?;
    let unknown: Vec<_> = artifacts.iter().filter(|artifact| !artifact.is_verified).collect();
    if unknown.is_empty() {
        return Ok(ServiceTargets {
            files: recorded_targets::of_artifacts(&repository.name, &artifacts),
            is_whole: true,
        });
    }
    let is_whole = digests::compute::<P>(lease.conn, lease.storage, &unknown).await?;
    Ok(ServiceTargets { files: recorded_targets::of_artifacts(&repository.name, &chosen()?), is_whole })
}

/// The artifacts that the service lists: of published releases, the newest ones of each channel, platform and
/// architecture, and every one that a check could answer with, now or when a scheduled release is published
/// soon. Files that can no longer be offered are no longer signed, so that they cannot be used for a
/// downgrade.
fn artifacts<P: Ports>(
    lease: &RepositoryLease<'_, P>,
    keep: KeepCount,
) -> Result<Vec<ListedArtifact>, RepositoryError> {
    let RepositoryLease { ports, conn, app, .. } = *lease;
    let (now, soon) = (ports.now(), ports.now().plus_seconds(LISTED_AHEAD_SECONDS));
    let filter = ListingFilter { published: Some(true), at: soon, ..ListingFilter::default() };
    let mut published = listings::of_app(conn, app, &filter)?;
    published.retain(|artifact| !artifact.is_left_out);
    let answerable =
        |at| AnswerableReleases::of(&lease.app_repository(), &published, PublishedArtifacts::Listable, at);
    let answerable = if releases::are_scheduled(conn, app, now, soon)? {
        answerable(now)?.and(answerable(soon)?)
    } else {
        answerable(now)?
    };
    Ok(choose(published, keep, &answerable))
}

/// The artifacts of `published` to list, newest release first.
fn choose(
    mut published: Vec<ListedArtifact>,
    keep: KeepCount,
    answerable: &AnswerableReleases,
) -> Vec<ListedArtifact> {
    let mut releases: BTreeMap<[Option<Id>; 3], Vec<Version>> = BTreeMap::new();
    published.retain(|artifact| {
        let newest = releases.entry(place(&artifact.target)).or_default();
        if newest.last() != Some(&artifact.version) {
            newest.push(artifact.version.clone());
        }
        keep.keeps(newest.len() - 1) || answerable.has(artifact)
    });
    published
}

fn place(target: &Target) -> [Option<Id>; 3] {
    [target.channel_id.clone(), target.platform_id.clone(), target.arch_id.clone()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_artifacts::artifact;

    /// The versions of the chosen artifacts, with their packages.
    fn versions(chosen: &[ListedArtifact]) -> Vec<String> {
        chosen.iter().map(|one| format!("{} {}", one.version, one.package)).collect()
    }

    fn keep(number: u8) -> KeepCount {
        KeepCount::from_number(number).unwrap()
    }

    #[test]
    fn the_newest_of_each_place_are_listed_with_all_their_files() {
        let rpm = |version: &str| artifact(version, |one| one.package = "rpm".parse().unwrap());
        let arm = |version: &str| artifact(version, |one| one.target.arch_id = Some(Id::from_text("arm64")));
        let deb = |version: &str| artifact(version, |_| ());
        let beta =
            |version: &str| artifact(version, |one| one.target.channel_id = Some(Id::from_text("beta")));
        let all = vec![beta("4.0-b"), deb("3.0"), rpm("3.0"), arm("2.0"), deb("2.0"), rpm("2.0"), deb("1.0")];
        let listed = |number| versions(&choose(all.clone(), keep(number), &AnswerableReleases::default()));
        assert_eq!(listed(1), ["4.0-b deb", "3.0 deb", "3.0 rpm", "2.0 deb"]);
        assert_eq!(listed(2), ["4.0-b deb", "3.0 deb", "3.0 rpm", "2.0 deb", "2.0 deb", "2.0 rpm"]);
        assert_eq!(listed(0).len(), all.len());
    }

    #[test]
    fn what_a_check_could_answer_is_listed_where_it_could() {
        let deb = |version: &str| artifact(version, |_| ());
        let arm = |version: &str| artifact(version, |one| one.target.arch_id = Some(Id::from_text("arm64")));
        let all = vec![deb("3.0"), arm("3.0"), deb("2.0"), arm("2.0"), deb("1.0")];
        let answerable = AnswerableReleases::only(&[&deb("1.0"), &arm("2.0")]);
        let listed = choose(all, keep(1), &answerable);
        assert_eq!(versions(&listed), ["3.0 deb", "3.0 deb", "2.0 deb", "1.0 deb"]);
        assert_eq!(listed[2].target.arch_id, Some(Id::from_text("arm64")));
    }
}
