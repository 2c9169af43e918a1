//! Checks of the device groups that releases admit.

use spindrift_core::{AdmittedGroups, Id, MAX_RECORD_DEVICES};
use spindrift_db::{SqlConn, device_groups};

use crate::ServiceError;

/// Fails if one of these groups does not exist in the application.
pub fn require_existing(conn: &impl SqlConn, app: &Id, groups: &AdmittedGroups) -> Result<(), ServiceError> {
    match device_groups::missing(conn, app, groups)? {
        Some(name) => Err(ServiceError::UnknownGroup(name)),
        None => Ok(()),
    }
}

/// Fails if the groups that releases of the application admit have more devices than a record has room for.
/// Call it after a change, in its transaction.
pub fn require_room(conn: &impl SqlConn, app: &Id) -> Result<(), ServiceError> {
    if device_groups::devices_in_use(conn, app)? > MAX_RECORD_DEVICES {
        return Err(ServiceError::TooManyGroupDevices);
    }
    Ok(())
}

/// Makes both checks for a release that was just written, if the groups that it admits have changed. A change
/// that only stops the release therefore never fails here.
pub fn require_admissible(
    conn: &impl SqlConn,
    app: &Id,
    old: &AdmittedGroups,
    new: &AdmittedGroups,
) -> Result<(), ServiceError> {
    if old == new {
        return Ok(());
    }
    require_existing(conn, app, new)?;
    require_room(conn, app)
}
