//! The report key of an application: it exists while the application's `reports` is on.

use spindrift_auth::ReportKey;
use spindrift_core::Id;
use spindrift_db::{Audited, report_keys};

use crate::{Ports, ServiceError};

/// Creates a key for the application unless it has one. Call it in the transaction that turns `reports` on.
pub fn ensure(ports: &impl Ports, conn: &impl Audited, app: &Id) -> Result<(), ServiceError> {
    let key = ReportKey::generate(ports.random_bytes());
    Ok(report_keys::insert_if_absent(conn, &ports.new_id(), app, key.expose(), ports.now())?)
}

/// Deletes the application's key. Only its owner may use it again. Call it in the transaction that turns
/// `reports` off or deletes the application.
pub fn remove(conn: &impl Audited, owner: &Id, app: &Id) -> Result<(), ServiceError> {
    retire(conn, owner, app)?;
    Ok(report_keys::delete(conn, app)?)
}

/// Sets the application's key. The old one becomes invalid, and only its owner may use it again. Fails if
/// another application has this key, or if another owner had it. Call it in a transaction.
pub fn replace(
    ports: &impl Ports,
    conn: &impl Audited,
    owner: &Id,
    app: &Id,
    key: &ReportKey,
) -> Result<(), ServiceError> {
    if report_keys::holder_of(conn, key.expose())?.is_some_and(|holder| holder != *app) {
        return Err(ServiceError::ReportKeyTaken);
    }
    if report_keys::former_owner_of(conn, &key.digest())?.is_some_and(|former| former != *owner) {
        return Err(ServiceError::FormerReportKey);
    }
    retire(conn, owner, app)?;
    Ok(report_keys::replace(conn, &ports.new_id(), app, key.expose(), ports.now())?)
}

/// Remembers the application's key, if it has one. Copies that were installed with it may still send it.
fn retire(conn: &impl Audited, owner: &Id, app: &Id) -> Result<(), ServiceError> {
    let Some(text) = report_keys::of_app(conn, app)? else { return Ok(()) };
    let key: ReportKey =
        text.parse().map_err(|_| ServiceError::Internal("a malformed report key".to_owned()))?;
    Ok(report_keys::retire(conn, &key.digest(), owner)?)
}
