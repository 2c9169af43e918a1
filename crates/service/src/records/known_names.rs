//! Records of the names that exist. Clients may ask for any name. Once the existing names are stored, a
//! request with an unknown one does not reach the database.
//!
//! There is one record for each owner and one of all owners; requests by strangers cannot add any. The
//! records are only used to refuse requests, because a name in a record may have been deleted since. See
//! [`crate::records`].

use spindrift_core::{KnownNames, NameKind, Scope, UserName};
use spindrift_db::known_names::{self, NameSet};

use super::keys;
use super::stored_record::{self, StoredRecord};
use crate::{Ports, ServiceError, log};

/// Maximum number of names in a record. With 64 characters each, they stay below the size limit.
const MAX_NAMES: u32 = 4000;

/// Runs `load`, which reads `scope` from the database and fails if one of its names does not exist. After
/// such a failure the existing names are stored, so that the next request with an unknown name fails here,
/// without `load`.
pub(crate) fn refuse_unknown<P: Ports, T>(
    ports: &P,
    scope: &Scope,
    load: impl FnOnce() -> Result<T, ServiceError>,
) -> Result<T, ServiceError> {
    let can_store = match StoredRecord::<KnownNames>::load_fresh(ports, &keys::of_names(&scope.owner)) {
        Ok(names) => match names.first_unknown(scope) {
            Some(kind) => return Err(ServiceError::UnknownName(kind.as_str())),
            None => false,
        },
        Err(stored) if stored.store_failed() => false,
        // The owner exists, or did a moment ago.
        Err(StoredRecord { record: Some(_), .. }) => true,
        Err(_) => match StoredRecord::<KnownNames>::load_fresh(ports, &keys::of_owners()) {
            Ok(owners) if owners.lack_owner(scope) => {
                return Err(ServiceError::UnknownName(NameKind::Owner.as_str()));
            }
            Ok(_) => true,
            Err(stored) => !stored.store_failed(),
        },
    };
    let loaded = load();
    if can_store && matches!(loaded, Err(ServiceError::UnknownName(_))) {
        store_names(ports, &scope.owner);
    }
    loaded
}

/// Stores the names that an owner has given, or, if there is no such owner, the names of all owners.
fn store_names<P: Ports>(ports: &P, owner: &UserName) {
    let of_owner = stored_record::load(ports, &keys::of_names(owner), |conn, _| {
        let names = known_names::of_owner(conn, owner, MAX_NAMES)?;
        if names.as_ref().is_some_and(NameSet::is_empty) {
            return Err(ServiceError::UnknownName(NameKind::Owner.as_str()));
        }
        Ok(KnownNames { derived_at: ports.now(), names })
    });
    let stored = match of_owner {
        Err(ServiceError::UnknownName(_)) => stored_record::load(ports, &keys::of_owners(), |conn, _| {
            Ok(KnownNames { derived_at: ports.now(), names: known_names::of_owners(conn, MAX_NAMES)? })
        }),
        other => other,
    };
    if let Err(failure) = stored {
        log::warn("the known names were not kept", &failure);
    }
}

/// Forgets an owner's names after a committed change of them; the next request reads them again. A record
/// derived before the change does not come back, because a record only replaces the value that was there when
/// it was derived.
pub fn forget(ports: &impl Ports, owner: &UserName) {
    stored_record::forget(ports, &keys::of_names(owner));
}

/// Like [`forget`], for the names of owners.
pub fn forget_owners(ports: &impl Ports) {
    stored_record::forget(ports, &keys::of_owners());
}
