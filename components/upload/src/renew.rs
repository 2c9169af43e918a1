//! `POST /upload/renew`: new URLs for an upload that takes longer than its URLs are valid.

use http::StatusCode;
use spindrift_db::uploads;
use spindrift_service::publish::PublishError;
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, settings};
use spindrift_settings::PRESIGNED_UPLOAD_URL_TTL;
use spindrift_web::{Request, Response, response};

use crate::presign::{granted, require_presigning};
use crate::request::read_upload_id;
use crate::upload_session::load;

pub(crate) async fn renew<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let config = settings::storage(ports)?;
    require_presigning(&config)?;
    let ttl = PRESIGNED_UPLOAD_URL_TTL.read(ports)?;
    let id = read_upload_id(request).await?;
    let mut upload = load(&session.conn, &session.principal, &id)?;
    upload.expires_at = session.now.plus_seconds(ttl.as_secs().cast_signed());
    if !uploads::extend(&session.conn, &id, upload.expires_at)? {
        return Err(PublishError::UploadExpired.into());
    }
    Ok(response::json(StatusCode::OK, &granted(&config, &upload, ttl, session.now)?)?)
}
