//! `POST /upload`: files sent through the service.

use spindrift_core::{MAX_METADATA_BYTES, ReleaseMetadata};
use spindrift_repository::AppRepository;
use spindrift_service::publish::destination;
use spindrift_service::publish::finish::PublishTerms;
use spindrift_service::publish::form::{self, UploadDescription};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

use crate::complete::uploaded;

pub(crate) async fn upload<P: Ports>(ports: &P, request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let (release, app) = form::read(&session, request, async |form| {
        let data = form.data(MAX_METADATA_BYTES).await?;
        let metadata = ReleaseMetadata::parse(&data).map_err(ApiError::from)?;
        let destination = destination::resolve(&session.conn, &session.principal, &metadata)?;
        let upload = UploadDescription { metadata: &metadata, destination: &destination };
        let terms = PublishTerms::default();
        let (release, ()) =
            form.publish(upload, terms, async || Ok(()), |_, _| Ok::<_, Failure>(((), None))).await?;
        Ok::<_, Failure>((release, destination.app_id))
    })
    .await?;
    AppRepository::of(&session, &app).sync_targets_after_change().await?;
    uploaded(&release)
}
