//! `POST /upload`: files sent through the service.

use spindrift_core::{MAX_METADATA_BYTES, ReleaseMetadata};
use spindrift_repository::sync_targets_after_change;
use spindrift_service::publish::destination;
use spindrift_service::publish::finish::PublishTerms;
use spindrift_service::publish::form::{self, UploadDescription};
use spindrift_service::requests::principal::authenticate;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

use crate::complete::uploaded;

pub(crate) async fn upload<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let conn = spindrift_db::open(ports, ports.now())?;
    let principal = authenticate(ports, &conn, &request)?;
    let (release, app) = form::read(ports, &conn, &principal, request, async |form| {
        let data = form.data(MAX_METADATA_BYTES).await?;
        let metadata = ReleaseMetadata::parse(&data).map_err(ApiError::from)?;
        let destination = destination::resolve(&conn, &principal, &metadata)?;
        let upload = UploadDescription { metadata: &metadata, destination: &destination };
        let terms = PublishTerms::by(&principal);
        let (release, ()) =
            form.publish(upload, terms, async || Ok(()), |_, _| Ok::<_, Failure>(((), None))).await?;
        Ok::<_, Failure>((release, destination.app_id))
    })
    .await?;
    sync_targets_after_change(ports, &conn, &app).await?;
    uploaded(&release)
}
