//! Scope records: each answers the checks of one scope. See [`crate::records`].

use spindrift_core::{Scope, ScopeRecord, keep_answers, keep_critical};
use spindrift_db::SqlConn;
use spindrift_db::offered::PublishedArtifacts;
use spindrift_db::scopes as db;

use super::record::Loaded;
use super::resolved_scope::{ResolvedScope, resolve};
use super::scope_releases::{ReleaseGroups, critical_versions, releases};
use super::{keys, scoped_records, stored_record, updaters};
use crate::{Ports, ServiceError};

/// The record of a scope. For an invalid scope, the errors are those of the interface.
pub async fn load<P: Ports>(ports: &P, scope: &Scope) -> Result<Loaded<ScopeRecord>, ServiceError> {
    scoped_records::load(ports, scope, None, derive).await
}

/// After a committed change: derives the record again and deletes those of its updaters, so that the next
/// check sees the change.
pub(crate) fn refresh<P: Ports>(ports: &P, conn: &P::Conn, scope: &Scope) -> Result<(), ServiceError> {
    updaters::forget(ports, scope);
    let key = keys::of(scope, None);
    stored_record::renew_after_change(ports, &key, || derive(conn, resolve(ports, conn, scope)?))
}

/// After a committed change: deletes the record and those of its updaters; the next check derives them again.
/// For requests that fewer clients send.
pub(crate) fn forget(ports: &impl Ports, scope: &Scope) {
    updaters::forget(ports, scope);
    stored_record::forget(ports, &keys::of(scope, None));
}

/// Derives the record from the current data.
pub(crate) fn derive(conn: &impl SqlConn, resolved: ResolvedScope) -> Result<ScopeRecord, ServiceError> {
    derive_from(conn, resolved, PublishedArtifacts::Offered)
}

/// Derives the record from the releases in `selection` alone.
pub(crate) fn derive_from(
    conn: &impl SqlConn,
    resolved: ResolvedScope,
    selection: PublishedArtifacts,
) -> Result<ScopeRecord, ServiceError> {
    let (now, stops) = (resolved.record.read_at, resolved.stops(conn)?);
    let published = db::published(conn, &resolved.record.app_id, &resolved.target, selection, now)?;
    let critical = critical_versions(published.iter().map(|artifact| &artifact.release));
    let groups = ReleaseGroups::of(
        conn,
        &resolved.record.app_id,
        published.iter().map(|artifact| &artifact.release.admitted_groups),
    )?;
    let releases = keep_answers(releases(&published, &groups, &resolved.links, now)?, now);
    let critical = keep_critical(critical, &releases);
    Ok(ScopeRecord { critical, releases, groups: groups.of_record(), ..resolved.record }.with_stops(stops))
}
