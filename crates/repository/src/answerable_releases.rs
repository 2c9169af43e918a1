//! The releases that checks could answer with.

use std::collections::BTreeSet;

use spindrift_core::{Id, Target, Timestamp, Version};
use spindrift_db::listings::{self, ListedArtifact};
use spindrift_db::offered::PublishedArtifacts;
use spindrift_service::Ports;
use spindrift_service::records::answerable;

use crate::app_repository::AppRepository;
use crate::error::RepositoryError;

/// The releases of an application that checks and feeds could answer with, by platform and architecture. A
/// version belongs to one channel, and is offered in that channel and in those that include it.
#[derive(Debug, Default)]
pub struct AnswerableReleases(BTreeSet<(Option<Id>, Option<Id>, Version)>);

impl AnswerableReleases {
    /// The releases in the records for the platforms and architectures of these artifacts as of `at`: those
    /// that checks offer, or those that they would offer if everything were listed that the service may list.
    pub fn of<P: Ports>(
        repository: &AppRepository<'_, P>,
        artifacts: &[ListedArtifact],
        seen: PublishedArtifacts,
        at: Timestamp,
    ) -> Result<Self, RepositoryError> {
        let AppRepository { ports, conn, app } = *repository;
        let place = |target: &Target| (target.platform_id.clone(), target.arch_id.clone());
        let places_of_artifacts: BTreeSet<_> =
            artifacts.iter().map(|artifact| place(&artifact.target)).collect();
        let places = listings::places(conn, app, at)?;
        let mut releases = BTreeSet::new();
        for place in places.into_iter().filter(|found| places_of_artifacts.contains(&place(&found.target))) {
            for version in answerable::versions(ports, conn, app, &place, seen, at)? {
                releases.insert((place.target.platform_id.clone(), place.target.arch_id.clone(), version));
            }
        }
        Ok(Self(releases))
    }

    /// The union of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Whether a check could answer with this file.
    pub fn has(&self, artifact: &ListedArtifact) -> bool {
        let (target, version) = (&artifact.target, artifact.version.clone());
        self.0.contains(&(target.platform_id.clone(), target.arch_id.clone(), version))
    }

    #[cfg(test)]
    pub(crate) fn only(artifacts: &[&ListedArtifact]) -> Self {
        let key = |artifact: &&ListedArtifact| {
            let target = &artifact.target;
            (target.platform_id.clone(), target.arch_id.clone(), artifact.version.clone())
        };
        Self(artifacts.iter().map(key).collect())
    }
}
