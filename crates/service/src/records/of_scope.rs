//! Records of scopes: from the key-value store, the database or, at an edge, the origin.

use std::mem::take;
use std::rc::Rc;

use spindrift_core::{Scope, ScopeRecord, Updater};

use super::kept::{Kept, encode};
use super::known::{Known, known};
use super::record::{Loaded, OfScope, READ_MAX_AGE_SECONDS};
use super::{keys, names, origin, revisions};
use crate::{Ports, ServiceError, log};

/// The record of a scope, or of an updater in it: from the key-value store if it is fresh there, else from
/// the database or, at an edge, from the origin.
pub(crate) async fn load<P: Ports, R: OfScope>(
    ports: &P,
    scope: &Scope,
    updater: Option<Updater>,
    derive: impl Fn(&P::Conn, Known) -> Result<R, ServiceError>,
) -> Result<Loaded<R>, ServiceError> {
    let key = keys::of(scope, updater);
    let kept = match Kept::<R>::fresh(ports, &key) {
        Ok(record) => return Ok(record.into()),
        Err(kept) => kept.admitted()?,
    };
    let outdated = kept.record.as_ref();
    let ask = async |base: String| {
        let path = origin::record_path(scope, updater);
        from_origin(ports, &base, &path, &key, outdated).await
    };
    if let Some(asked) = origin::ask_at_edge(ports, ask) {
        return asked.await;
    }
    if let Some(record) = revisions::confirmed(ports, &key, &scope.owner, &kept)? {
        return Ok(Rc::new(record).into());
    }
    let confirm_or_derive = |conn: &P::Conn, kept: Option<&R>| {
        let known = known(ports, conn, scope)?;
        let now = known.record.stamp();
        let holds = |kept: &&R| {
            !kept.is_over(now.derived_at) && kept.scope().stamp().still_holds(&now, READ_MAX_AGE_SECONDS)
        };
        match kept.filter(holds) {
            Some(kept) => Ok(confirmed(kept.clone(), known.record)),
            None => derive(conn, known),
        }
    };
    let record = names::looked_up(ports, scope, || kept.renew(ports, &key, confirm_or_derive))?;
    Ok(Rc::new(record).into())
}

/// A record whose releases are still those of the database, with all other fields replaced by the current
/// ones.
fn confirmed<R: OfScope>(mut record: R, now: ScopeRecord) -> R {
    let scope = record.scope_mut();
    let (releases, critical) = (take(&mut scope.releases), take(&mut scope.critical));
    let (stops, groups) = (take(&mut scope.stops), take(&mut scope.groups));
    *scope = ScopeRecord { releases, critical, stops, groups, read_at: scope.read_at, ..now };
    record
}

/// At an edge: the origin's record, which is then kept. If the origin is unavailable, the last known record.
async fn from_origin<P: Ports, R: OfScope>(
    ports: &P,
    base: &str,
    path: &str,
    key: &str,
    kept: Option<&R>,
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
            Ok(Rc::new(record).into())
        }
        Err(ServiceError::OriginUnavailable(why)) => match kept {
            Some(record) => {
                log::warn("the origin is unavailable", &why);
                let age = now.as_millis().saturating_sub(record.scope().derived_at.as_millis()) / 1000;
                Ok(Loaded { record: Rc::new(record.clone()), stale_seconds: Some(age.max(0)) })
            }
            None => Err(ServiceError::OriginUnavailable(why)),
        },
        Err(failure) => {
            let _ = ports.delete(key);
            Err(failure)
        }
    }
}
