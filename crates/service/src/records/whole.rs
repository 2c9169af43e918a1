//! The whole of a place, for explanations.

use spindrift_core::{
    Conditions, Id, Scope, ScopeRecord, Target, Timestamp, Updater, Version, keep_answers, keep_critical,
};
use spindrift_db::offered::PublishedArtifacts;

use super::known::known;
use super::updaters::{Installable, Installed, installable};
use crate::{Ports, ServiceError};

/// The base of all answers to an updater's clients at a time.
pub struct Whole {
    /// The updater.
    pub updater: Updater,
    /// The record, with the releases that an answer can have. They have no links.
    pub record: ScopeRecord,
    /// The scope, with the names that the clients' names stand for.
    pub scope: Scope,
    /// The ids of channel, platform and architecture.
    pub target: Target,
    /// All releases that the updater can install, also those that no answer can have.
    pub installable: Vec<(Id, Version, Conditions)>,
}

/// The whole of a scope at a time. `updater`: as a client names it. Errors: a name does not exist, a dimension is missing, or
/// the platform does not have the updater.
pub fn whole<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    scope: &Scope,
    updater: Option<&str>,
    at: Timestamp,
) -> Result<Whole, ServiceError> {
    let known = known(ports, conn, scope)?.at(at);
    let updater = known.record.updaters.resolve(updater)?;
    let Installable { releases, critical, groups } =
        installable(conn, &known, updater, PublishedArtifacts::Offered)?;
    let all = |Installed { id, release, .. }: &Installed| {
        (id.clone(), release.version.clone(), release.conditions.clone())
    };
    let installable = releases.iter().map(all).collect();
    let releases = keep_answers(releases.into_iter().map(|installed| installed.release).collect(), at);
    let critical = keep_critical(critical, &releases);
    let (scope, stops) = (known.record.meant(scope), known.stops(conn)?);
    let record = ScopeRecord { critical, releases, groups, ..known.record }.stopped(stops);
    Ok(Whole { updater, record, scope, target: known.target, installable })
}
