//! `POST /upload`: the bytes come through the service.

use spindrift_core::{MAX_METADATA_BYTES, ReleaseMetadata};
use spindrift_publish::place;
use spindrift_publish::streamed::{Files, Upload, take};
use spindrift_service::principal::authenticate;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Parts, Request, Response};

use crate::complete::uploaded;

pub(crate) async fn upload<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = &authenticate(ports, &conn, &request)?;
    let mut parts = Parts::new(request, None)?;
    let metadata = &read_metadata(&mut parts).await?;
    let place = &place::find(&conn, principal, metadata)?;
    let (upload, files) = (Upload { principal, metadata, place }, Files { first: None, rest: parts });
    let (release, ()) = take(ports, &conn, upload, files, |_, _| Ok(())).await?;
    uploaded(&release)
}

/// `data` comes before the files, so that nothing is stored for an upload that is refused.
async fn read_metadata(parts: &mut Parts) -> Result<ReleaseMetadata, ApiError> {
    let text = parts.next_text("data", MAX_METADATA_BYTES).await?;
    ReleaseMetadata::parse(&text).map_err(|error| ApiError::bad_request(error.to_string()))
}
