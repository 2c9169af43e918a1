//! `POST /upload/renew`: new URLs for an upload that takes longer than its URLs are valid.

use http::StatusCode;
use spindrift_db::uploads;
use spindrift_service::publish::PublishError;
use spindrift_service::requests::principal::authenticate;
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::PRESIGNED_UPLOAD_URL_TTL;
use spindrift_web::{Request, Response, response};

use crate::presign::{granted, require_presigning};
use crate::request::read_upload_id;
use crate::session::load;

pub(crate) async fn renew<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let now = ports.now();
    let conn = spindrift_db::open(ports, now)?;
    let principal = authenticate(ports, &conn, &request)?;
    let config = settings::storage(ports)?;
    require_presigning(&config)?;
    let ttl = PRESIGNED_UPLOAD_URL_TTL.read(ports)?;
    let id = read_upload_id(request).await?;
    let mut session = load(&conn, &principal, &id)?;
    session.expires_at = now.plus_seconds(ttl.as_secs().cast_signed());
    if !uploads::extend(&conn, &id, session.expires_at)? {
        return Err(PublishError::UploadExpired.into());
    }
    Ok(response::json(StatusCode::OK, &granted(&config, &session, ttl, now)?)?)
}
