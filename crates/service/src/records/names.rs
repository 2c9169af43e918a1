//! Records of the names that exist. Clients may ask for any name. Once the existing names are kept, a request
//! with an unknown one does not reach the database.
//!
//! There is one record for each owner and one of all owners; requests by strangers cannot add any. The
//! records are only used to refuse requests, because a name in a record may have been deleted since. See
//! [`crate::records`].

use spindrift_core::{KnownNames, NameKind, Scope, UserName};
use spindrift_db::known_names;
use spindrift_db::known_names::NameSet;

use super::kept::{self, Kept};
use super::keys;
use crate::{Ports, ServiceError, log};

/// Maximum number of names in a record. With 64 characters each, they stay below the size that is kept.
const MAX_NAMES: u32 = 4000;

/// Returns the result of `load`, which reads `scope` from the database and fails if one of its names does not
/// exist. After such a failure the names are kept, and the next failure comes from them.
pub(crate) fn looked_up<P: Ports, T>(
    ports: &P,
    scope: &Scope,
    load: impl FnOnce() -> Result<T, ServiceError>,
) -> Result<T, ServiceError> {
    let can_keep = match Kept::<KnownNames>::fresh(ports, &keys::of_names(&scope.owner)) {
        Ok(names) => match names.first_unknown(scope) {
            Some(kind) => return Err(ServiceError::UnknownName(kind.as_str())),
            None => false,
        },
        Err(kept) if kept.store_failed() => false,
        // The owner exists, or did a moment ago.
        Err(Kept { record: Some(_), .. }) => true,
        Err(_) => match Kept::<KnownNames>::fresh(ports, &keys::of_owners()) {
            Ok(owners) if owners.lack_owner(scope) => {
                return Err(ServiceError::UnknownName(NameKind::Owner.as_str()));
            }
            Ok(_) => true,
            Err(kept) => !kept.store_failed(),
        },
    };
    let loaded = load();
    if can_keep && matches!(loaded, Err(ServiceError::UnknownName(_))) {
        keep(ports, &scope.owner);
    }
    loaded
}

/// Keeps the names that an owner has given, or, if there is no such owner, the names of all owners.
fn keep<P: Ports>(ports: &P, owner: &UserName) {
    let of_owner = kept::load(ports, &keys::of_names(owner), |conn, _| {
        let names = known_names::of_owner(conn, owner, MAX_NAMES)?;
        if names.as_ref().is_some_and(NameSet::is_empty) {
            return Err(ServiceError::UnknownName(NameKind::Owner.as_str()));
        }
        Ok(KnownNames { derived_at: ports.now(), names })
    });
    let kept = match of_owner {
        Err(ServiceError::UnknownName(_)) => kept::load(ports, &keys::of_owners(), |conn, _| {
            Ok(KnownNames { derived_at: ports.now(), names: known_names::of_owners(conn, MAX_NAMES)? })
        }),
        other => other,
    };
    if let Err(failure) = kept {
        log::warn("the known names were not kept", &failure);
    }
}

/// Forgets an owner's names after a committed change of them; the next request reads them again. A record
/// derived before the change does not come back, because a record only replaces the value that was there when
/// it was derived.
pub fn forget(ports: &impl Ports, owner: &UserName) {
    kept::forget(ports, &keys::of_names(owner));
}

/// Like [`forget`], for the names of owners.
pub fn forget_owners(ports: &impl Ports) {
    kept::forget(ports, &keys::of_owners());
}
