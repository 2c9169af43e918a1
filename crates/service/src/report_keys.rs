//! The report key of an application: it exists while the application's `reports` is on.

use spindrift_auth::ReportKey;
use spindrift_core::Id;
use spindrift_db::{SqlConn, report_keys};
use spindrift_web::ApiError;

use crate::{Failure, Ports};

/// Creates a key for the application unless it has one. Call it in the transaction that turns `reports` on.
pub fn ensure(ports: &impl Ports, conn: &impl SqlConn, app: &Id) -> Result<(), Failure> {
    let key = ReportKey::generate(ports.random_bytes());
    Ok(report_keys::insert_if_absent(conn, &ports.new_id(), app, key.expose(), ports.now())?)
}

/// Deletes the application's key. Call it in the transaction that turns `reports` off or deletes the application.
pub fn remove(conn: &impl SqlConn, app: &Id) -> Result<(), Failure> {
    Ok(report_keys::delete(conn, app)?)
}

/// Sets the application's key; the old one becomes invalid. 409 if another application has this key. Call it in a
/// transaction.
pub fn replace(ports: &impl Ports, conn: &impl SqlConn, app: &Id, key: &ReportKey) -> Result<(), Failure> {
    if report_keys::holder_of(conn, key.expose())?.is_some_and(|holder| holder != *app) {
        return Err(ApiError::Conflict("the report key is used by another application".into()).into());
    }
    Ok(report_keys::replace(conn, &ports.new_id(), app, key.expose(), ports.now())?)
}
