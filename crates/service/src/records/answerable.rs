//! The releases that checks can answer with, for deciding which files to sign.

use std::collections::BTreeSet;

use spindrift_core::{Id, Timestamp, Updater, Version};
use spindrift_db::listings::ScopePlace;
use spindrift_db::offered::PublishedArtifacts;

use super::resolved_scope::ResolvedScope;
use super::{scopes, updaters};
use crate::{Ports, ServiceError};

/// The versions of the releases that any record of a scope would hold at a given time: the record for its
/// checks, and those of its platform's updaters with feeds. Clients of the scope are never offered another
/// release.
pub fn versions<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    app: &Id,
    place: &ScopePlace,
    selection: PublishedArtifacts,
    at: Timestamp,
) -> Result<BTreeSet<Version>, ServiceError> {
    let resolved = || ResolvedScope::of(ports, app.clone(), place.clone()).map(|scope| scope.with_time(at));
    let mut releases = scopes::derive_from(conn, resolved()?, selection)?.releases;
    let natives = place.updaters.entries().iter().map(|entry| entry.updater);
    for updater in natives.filter(|updater| *updater != Updater::Manual) {
        releases.extend(updaters::derive_from(conn, &resolved()?, updater, selection)?.scope.releases);
    }
    Ok(releases.into_iter().map(|release| release.version).collect())
}
