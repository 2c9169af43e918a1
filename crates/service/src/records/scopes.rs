//! Scope records: each answers the checks of one scope. See [`crate::records`].

use spindrift_core::{Scope, ScopeRecord, keep_answers, keep_critical};
use spindrift_db::SqlConn;
use spindrift_db::offered::PublishedArtifacts;
use spindrift_db::scopes as db;

use super::known::{Known, known};
use super::published::{Groups, critical_versions, releases};
use super::record::Loaded;
use super::{kept, keys, of_scope, updaters};
use crate::{Ports, ServiceError};

/// The record of a scope. For an invalid scope, the errors are those of the interface.
pub async fn load<P: Ports>(ports: &P, scope: &Scope) -> Result<Loaded<ScopeRecord>, ServiceError> {
    of_scope::load(ports, scope, None, derive).await
}

/// After a committed change: derives the record again and deletes those of its updaters, so that the next
/// check sees the change.
pub(crate) fn refresh<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<(), ServiceError> {
    updaters::forget(ports, scope);
    let key = keys::of(scope, None);
    kept::renew_after_change(ports, &key, || derive(conn, known(ports, conn, scope)?))
}

/// After a committed change: deletes the record and those of its updaters; the next check derives them again.
/// For requests that fewer clients send.
pub(crate) fn forget(ports: &impl Ports, scope: &Scope) {
    updaters::forget(ports, scope);
    kept::forget(ports, &keys::of(scope, None));
}

/// Derives the record from the current data.
pub(crate) fn derive(conn: &impl SqlConn, known: Known) -> Result<ScopeRecord, ServiceError> {
    derive_seen(conn, known, PublishedArtifacts::Offered)
}

/// Derives the record from the `seen` releases alone.
pub(crate) fn derive_seen(
    conn: &impl SqlConn,
    known: Known,
    seen: PublishedArtifacts,
) -> Result<ScopeRecord, ServiceError> {
    let (now, stops) = (known.record.read_at, known.stops(conn)?);
    let published = db::published(conn, &known.record.app_id, &known.target, seen, now)?;
    let critical = critical_versions(published.iter().map(|artifact| &artifact.release));
    let groups =
        Groups::of(conn, &known.record.app_id, published.iter().map(|artifact| &artifact.release.let_in))?;
    let releases = keep_answers(releases(&published, &groups, &known.links, now)?, now);
    let critical = keep_critical(critical, &releases);
    Ok(ScopeRecord { critical, releases, groups: groups.of_record(), ..known.record }.with_stops(stops))
}
