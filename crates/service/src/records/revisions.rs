//! The revisions of all owners, which confirm records without a query for each. See [`crate::records`].

use spindrift_core::{OwnerRevisions, RecordStamp, Timestamp, UserName};
use spindrift_db::revisions;

use super::record::{READ_MAX_AGE_SECONDS, Record};
use super::{kept, keys};
use crate::links::Links;
use crate::{Ports, ServiceError};

/// Most owners in the record; with more, each record is confirmed by a query of its own. With 64 characters each, they stay below the size that is kept.
const MAX_OWNERS: u32 = 4000;

impl Record for OwnerRevisions {
    fn derived_at(&self) -> Timestamp {
        self.derived_at
    }

    /// Also without owners it spares the database the next query.
    fn is_empty(&self) -> bool {
        false
    }
}

/// Whether a record that is too old to answer with still holds, because its owner has changed nothing since. `false`: the
/// database has to decide.
pub(super) fn confirm<P: Ports>(
    ports: &P,
    owner: &UserName,
    record: &RecordStamp,
) -> Result<bool, ServiceError> {
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
