//! The revisions of all owners, which confirm records without a query for each. See [`crate::records`].

use std::rc::Rc;

use spindrift_core::{OwnerRevisions, RecordStamp, Timestamp, UserName};
use spindrift_db::revisions;

use super::kept::{self, Kept};
use super::keys;
use super::record::{READ_MAX_AGE_SECONDS, Record};
use crate::links::Links;
use crate::{Ports, ServiceError};

/// Maximum number of owners in the record. With 64 characters each, they stay below the size that is kept. If
/// there are more, each record is confirmed by a query of its own.
const MAX_OWNERS: u32 = 4000;

impl Record for OwnerRevisions {
    fn derived_at(&self) -> Timestamp {
        self.derived_at
    }

    /// Even a record without owners spares the database the next query.
    fn is_empty(&self) -> bool {
        false
    }
}

/// The outdated record of an owner, if it is still valid because the owner has changed nothing since. `None`
/// if only the database can decide.
pub(super) fn confirmed<P: Ports, R: Record>(
    ports: &P,
    key: &str,
    owner: &UserName,
    kept: &mut Kept<R>,
) -> Result<Option<Rc<R>>, ServiceError> {
    let candidate = kept.record.as_ref().filter(|record| !record.is_over(ports.now()));
    match candidate.and_then(R::stamp) {
        Some(stamp) if still_holds(ports, owner, &stamp)? => Ok(kept.take_confirmed(ports, key)),
        _ => Ok(None),
    }
}

fn still_holds<P: Ports>(ports: &P, owner: &UserName, record: &RecordStamp) -> Result<bool, ServiceError> {
    let revisions = kept::load(ports, &keys::of_revisions(), |conn, _| {
        let owners = revisions::of_owners(conn, MAX_OWNERS)?;
        Ok(OwnerRevisions { derived_at: ports.now(), owners })
    })?;
    let Some(revision) = revisions.owners.as_ref().and_then(|owners| owners.get(owner)) else {
        return Ok(false);
    };
    let now = RecordStamp {
        app_id: record.app_id.clone(),
        derived_at: ports.now(),
        read_at: ports.now(),
        revision: *revision,
        link_settings: Links::new(ports)?.settings_digest(),
    };
    Ok(record.still_holds(&now, READ_MAX_AGE_SECONDS))
}
