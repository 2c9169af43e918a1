//! The revisions of all owners, which confirm records without a query for each. See [`crate::records`].

use spindrift_core::{OwnerRevisions, RecordStamp, Timestamp, UserName};
use spindrift_db::revisions;

use super::keys;
use super::record::{OwnedRecord, READ_MAX_AGE_SECONDS, Record};
use super::stored_record::{self, StoredRecord};
use crate::links::DownloadLinks;
use crate::{Ports, ServiceError};

/// Maximum number of owners in the record. With 64 characters each, they stay below the size limit. If there
/// are more, each record is confirmed by a query of its own.
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

/// The outdated record of an owner, if it is still valid because the owner has changed nothing since. It is
/// stored as compared when the revisions were read, so that it is fresh until they are read again, and a
/// check still reads one value. `None` if only the database can decide.
pub(super) fn confirm<P: Ports, R: OwnedRecord>(
    ports: &P,
    key: &str,
    owner: &UserName,
    stored: &StoredRecord<R>,
) -> Result<Option<R>, ServiceError> {
    let Some(record) = stored.record.as_ref().filter(|record| !record.is_over(ports.now())) else {
        return Ok(None);
    };
    let revisions = stored_record::load(ports, &keys::of_revisions(), |conn, _| {
        let owners = revisions::of_owners(conn, MAX_OWNERS)?;
        Ok(OwnerRevisions { derived_at: ports.now(), owners })
    })?;
    let Some(revision) = revisions.owners.as_ref().and_then(|owners| owners.get(owner)) else {
        return Ok(None);
    };
    let (old_stamp, now) = (record.stamp(), ports.now());
    let stamp = RecordStamp {
        app_id: old_stamp.app_id.clone(),
        derived_at: now,
        read_at: now,
        revision: *revision,
        link_settings: DownloadLinks::new(ports)?.settings_digest(),
    };
    if !old_stamp.still_holds(&stamp, READ_MAX_AGE_SECONDS) {
        return Ok(None);
    }
    let mut record = record.clone();
    record.confirm(revisions.derived_at);
    stored.replace_with(ports, key, &record)?;
    Ok(Some(record))
}
