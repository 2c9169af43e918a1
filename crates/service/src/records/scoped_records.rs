//! Records of scopes: from the key-value store, the database or, at an edge, the origin.

use std::mem::take;
use std::sync::Arc;

use spindrift_core::{Scope, ScopeRecord, Updater};

use super::record::{Loaded, READ_MAX_AGE_SECONDS, ScopedRecord};
use super::resolved_scope::{ResolvedScope, resolve};
use super::stored_record::{StoredRecord, encode};
use super::{keys, known_names, origin, revisions};
use crate::{Ports, ServiceError, last_asked, log};

/// The record of a scope, or of an updater in it: from the key-value store if it is fresh there, else from
/// the database or, at an edge, from the origin.
pub(crate) async fn load<P: Ports, R: ScopedRecord>(
    ports: &P,
    scope: &Scope,
    updater: Option<Updater>,
    derive: impl Fn(&P::Conn, ResolvedScope) -> Result<R, ServiceError>,
) -> Result<Loaded<R>, ServiceError> {
    let key = keys::of(scope, updater);
    let stored = match StoredRecord::<R>::load_fresh(ports, &key) {
        Ok(record) => return Ok(record.into()),
        Err(stored) => stored.unless_overloaded()?,
    };
    let outdated = stored.record.as_ref();
    let ask = async |base: String| {
        let path = origin::record_path(scope, updater);
        load_from_origin(ports, &base, &path, &key, outdated).await
    };
    if let Some(asked) = origin::ask_at_edge(ports, ask) {
        return asked.await;
    }
    if let Some(record) = revisions::confirm(ports, &key, &scope.owner, &stored)? {
        last_asked::note(ports, &record.scope().app_id);
        return Ok(Arc::new(record).into());
    }
    let confirm_or_derive = |conn: &P::Conn, stored: Option<&R>| {
        let resolved = resolve(ports, conn, scope)?;
        let now = resolved.record.stamp();
        let is_current = |stored: &&R| {
            !stored.is_over(now.derived_at) && stored.scope().stamp().still_holds(&now, READ_MAX_AGE_SECONDS)
        };
        match stored.filter(is_current) {
            Some(stored) => Ok(with_current_fields(stored.clone(), resolved.record)),
            None => derive(conn, resolved),
        }
    };
    let record = known_names::refuse_unknown(ports, scope, || stored.renew(ports, &key, confirm_or_derive))?;
    last_asked::note(ports, &record.scope().app_id);
    Ok(Arc::new(record).into())
}

/// The record with its releases, which are still those of the database, and the current values of all other
/// fields.
fn with_current_fields<R: ScopedRecord>(mut record: R, now: ScopeRecord) -> R {
    let scope = record.scope_mut();
    let (releases, critical) = (take(&mut scope.releases), take(&mut scope.critical));
    let (stops, groups) = (take(&mut scope.stops), take(&mut scope.groups));
    *scope = ScopeRecord { releases, critical, stops, groups, read_at: scope.read_at, ..now };
    record
}

/// At an edge: the origin's record, which is then stored. If the origin is unavailable, the last known
/// record.
async fn load_from_origin<P: Ports, R: ScopedRecord>(
    ports: &P,
    base: &str,
    path: &str,
    key: &str,
    stored: Option<&R>,
) -> Result<Loaded<R>, ServiceError> {
    let now = ports.now();
    match origin::fetch::<P, R>(ports, base, path).await {
        Ok(mut record) => {
            // The record is fresh by this deployment's clock. If the origin's clock is behind, the origin is
            // asked again in a second.
            let scope = record.scope_mut();
            scope.derived_at = now;
            scope.valid_until = scope.valid_until.map(|until| until.max(now.plus_seconds(1)));
            // If the store fails, the next request asks the origin again.
            let _ = match encode(ports, key, &record)? {
                Some(bytes) => ports.set(key, &bytes),
                None => ports.delete(key),
            };
            Ok(Arc::new(record).into())
        }
        Err(ServiceError::OriginUnavailable(why)) => match stored {
            Some(record) => {
                log::warn("the origin is unavailable", &why);
                let age = now.as_millis().saturating_sub(record.scope().derived_at.as_millis()) / 1000;
                Ok(Loaded { record: Arc::new(record.clone()), stale_seconds: Some(age.max(0)) })
            }
            None => Err(ServiceError::OriginUnavailable(why)),
        },
        Err(failure) => {
            let _ = ports.delete(key);
            Err(failure)
        }
    }
}
