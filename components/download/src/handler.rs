//! Parse, load, decide, render.

use spindrift_core::{StoredObject, Visibility};
use spindrift_db::artifacts;
use spindrift_service::requests::private_files::{PrivateFile, TokenScope, admits};
use spindrift_service::{Failure, Ports, ServiceError, settings};
use spindrift_web::{ApiError, Request, Response};

use crate::link;

pub(crate) async fn download<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let query = request.query()?;
    let key = query.get("key").map(str::to_owned);
    let found = match key.clone() {
        Some(key) => {
            artifacts::by_object(&conn, &StoredObject { bucket: Visibility::Private, key }, ports.now())?
        }
        None => None,
    };
    let of_app = found.as_ref().and_then(|found| found.download_mode);
    let mode = of_app.map_or_else(|| settings::default_download_mode(ports), Ok)?;
    let file = found.as_ref().map(|found| PrivateFile {
        owner_id: &found.owner_id,
        app_id: &found.app_id,
        tokens: TokenScope::OfChannels(&found.channel_ids),
        // Callers who could download it while it was published are told that it is gone.
        published: found.published || found.is_withdrawn,
    });
    let is_admitted = admits(ports, &conn, request, &query, mode, file)?;
    if key.is_none() {
        return Err(ApiError::missing("key").into());
    }
    let owned = found.filter(|_| is_admitted).ok_or_else(|| ApiError::not_found("artifact"))?;
    if owned.is_withdrawn {
        return Err(ServiceError::Withdrawn.into());
    }
    let form = link::LinkForm::of_request(&query, request, mode);
    link::respond(ports, &owned.artifact, request.method(), form).await
}
