//! The groups that releases let in.

use spindrift_core::{Id, LetIn, MAX_RECORD_DEVICES};
use spindrift_db::{SqlConn, device_groups};

use crate::ServiceError;

/// An error if the application does not have one of these groups.
pub fn require_known(conn: &impl SqlConn, app: &Id, groups: &LetIn) -> Result<(), ServiceError> {
    match device_groups::missing(conn, app, groups)? {
        Some(name) => Err(ServiceError::UnknownGroup(name)),
        None => Ok(()),
    }
}

/// An error if the groups that releases of the application let in have more devices than a record has room for. Called after a
/// change, in its transaction.
pub fn require_room(conn: &impl SqlConn, app: &Id) -> Result<(), ServiceError> {
    if device_groups::devices_in_use(conn, app)? > MAX_RECORD_DEVICES {
        return Err(ServiceError::TooManyGroupDevices);
    }
    Ok(())
}

/// Both, for a release that was just written, if it lets in other groups than before. So neither can hold up a stop.
pub fn require_let_in(conn: &impl SqlConn, app: &Id, old: &LetIn, new: &LetIn) -> Result<(), ServiceError> {
    if old == new {
        return Ok(());
    }
    require_known(conn, app, new)?;
    require_room(conn, app)
}
