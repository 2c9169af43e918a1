//! Everything that an explanation needs about a scope.

use spindrift_core::{
    Conditions, Id, Scope, ScopeRecord, Target, Timestamp, Updater, Version, keep_answers, keep_critical,
};
use spindrift_db::offered::PublishedArtifacts;

use super::resolved_scope::resolve;
use super::updaters::{InstallableRelease, InstallableReleases, installable_releases};
use crate::{Ports, ServiceError};

/// The data behind all answers to an updater's clients as of one time.
pub struct ExplanationData {
    pub updater: Updater,
    /// The record, with the releases that an answer can contain. They have no links.
    pub record: ScopeRecord,
    /// The scope, with the names that a client's names resolve to.
    pub scope: Scope,
    pub target: Target,
    /// All releases that the updater can install, including those that no answer can contain.
    pub installable: Vec<(Id, Version, Conditions)>,
}

/// Reads the data for a scope, as of `at`. `updater` is the name that a client sends. Fails if a name does
/// not exist, if a required one is missing, or if the platform does not offer the updater.
pub fn load<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    scope: &Scope,
    updater: Option<&str>,
    at: Timestamp,
) -> Result<ExplanationData, ServiceError> {
    let resolved = resolve(ports, conn, scope)?.with_time(at);
    let updater = resolved.record.updaters.resolve(updater)?;
    let InstallableReleases { releases, critical, groups } =
        installable_releases(conn, &resolved, updater, PublishedArtifacts::Offered)?;
    let all = |InstallableRelease { id, release, .. }: &InstallableRelease| {
        (id.clone(), release.version.clone(), release.conditions.clone())
    };
    let installable = releases.iter().map(all).collect();
    let releases = keep_answers(releases.into_iter().map(|installable| installable.release).collect(), at);
    let critical = keep_critical(critical, &releases);
    let (scope, stops) = (resolved.record.resolved_scope(scope), resolved.stops(conn)?);
    let record = ScopeRecord { critical, releases, groups, ..resolved.record }.with_stops(stops);
    Ok(ExplanationData { updater, record, scope, target: resolved.target, installable })
}
