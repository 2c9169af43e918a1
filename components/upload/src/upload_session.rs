//! The session that a call names.

use spindrift_core::{Id, UploadSession};
use spindrift_db::{SqlConn, uploads};
use spindrift_service::Failure;
use spindrift_service::publish::destination;
use spindrift_service::requests::principal::Principal;
use spindrift_web::ApiError;

/// The session, for the caller who started it or the admin of its owner. The caller must still be allowed to
/// upload to its target.
pub(crate) fn load(conn: &impl SqlConn, principal: &Principal, id: &Id) -> Result<UploadSession, Failure> {
    let upload = uploads::by_id(conn, id)?
        .filter(|upload| upload.owner_id == principal.owner_id)
        .ok_or_else(|| ApiError::not_found("upload"))?;
    if upload.started_by != principal.identity && !principal.is_admin() {
        return Err(ApiError::Forbidden("the upload was started by somebody else".into()).into());
    }
    destination::require_upload(principal, &upload.app_id, &upload.target)?;
    Ok(upload)
}
