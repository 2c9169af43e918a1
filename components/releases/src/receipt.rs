//! `GET /releases/{id}/receipt` and `POST /releases/receipt`: which clients will get a release, which will
//! not and why, and which fall behind.

mod lines;
mod owned;
mod subject;

use http::StatusCode;
use spindrift_api::{ReceiptAskBody, ReceiptBody};
use spindrift_core::ReleaseMetadata;
use spindrift_core::receipt::{ReceiptOutcome, foreign_system};
use spindrift_db::audit::release_names;
use spindrift_db::releases;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports};
use spindrift_web::{ApiError, Request, Response};

use self::lines::ReceiptLines;
use self::owned::OwnerDimensions;
use self::subject::ReceiptSubject;
use crate::show::find;

/// Largest body of a request about an upload, in bytes: release notes of 1 MiB, and the names of 1,000 files.
const MAX_ASK_BYTES: usize = 2 * 1024 * 1024;

pub(crate) fn show<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, request)?;
    let release = find(&session, request)?;
    let query = request.query()?;
    let channel = query.get("channel").filter(|channel| !channel.is_empty());
    let app = release_names(&session.conn, &release)?.app.ok_or_else(|| ApiError::not_found("release"))?;
    let offers = releases::offers(&session.conn, session.owner_id(), &release.id)?;
    let subject = ReceiptSubject::stored(&session.conn, app, offers)?;
    answer(&session, &OwnerDimensions::load(&session)?, &subject, channel)
}

pub(crate) async fn ask<P: Ports>(ports: &P, mut request: Request) -> Result<Response, Failure> {
    let session = Session::enter_with_token(ports, &request)?;
    let ReceiptAskBody { data, files } = request.read_json(MAX_ASK_BYTES).await?;
    let data = serde_json::to_string(&data).map_err(|error| ApiError::bad_request(error.to_string()))?;
    let metadata = ReleaseMetadata::parse(&data).map_err(ApiError::from)?;
    let app = session.named_app(&metadata.app_name)?;
    let owned = OwnerDimensions::load(&session)?;
    let place = owned.place(&metadata)?;
    let offers = match releases::by_version(&session.conn, &app.id, &metadata.version)? {
        Some(release) => releases::offers(&session.conn, session.owner_id(), &release.id)?,
        None => Vec::new(),
    };
    let subject = if offers.is_empty() {
        ReceiptSubject::new(metadata.app_name.clone(), app.id, place.channel_id.clone(), &metadata)
    } else {
        ReceiptSubject::stored(&session.conn, metadata.app_name.clone(), offers)?
    };
    let updaters = owned.updaters(place.platform_id.as_ref());
    let subject = subject.with_upload((&place, &updaters), &metadata, &files)?;
    answer(&session, &owned, &subject, None)
}

fn answer(
    session: &Session<'_, impl Ports>,
    owned: &OwnerDimensions,
    subject: &ReceiptSubject,
    channel: Option<&str>,
) -> Result<Response, Failure> {
    let (lines, truncated) = ReceiptLines::new(session, owned, subject)?.all(channel)?;
    let is = |test: fn(&ReceiptOutcome) -> bool| lines.iter().any(|(outcome, _)| test(outcome));
    let (behind, nobody) =
        (is(|outcome| *outcome == ReceiptOutcome::Behind), !is(|outcome| outcome.is_served()));
    let body = ReceiptBody {
        app: subject.app.to_string(),
        version: subject.version.to_string(),
        truncated,
        behind,
        nobody,
        warnings: warnings(owned, subject),
        lines: lines.into_iter().map(|(_, line)| line).collect(),
    };
    private_json(StatusCode::OK, &body)
}

/// Warnings about files for a different operating system than the one that their platform is named after.
fn warnings(owned: &OwnerDimensions, subject: &ReceiptSubject) -> Vec<String> {
    let warning = |file: &spindrift_db::receipt::PlacedFile| {
        let platform = owned.platform(file.place.platform_id.as_ref())?;
        let system = foreign_system(&platform, &file.name.package())?.name();
        Some(format!("{} is a file for {system}, and it was uploaded to the platform {platform}", file.name))
    };
    subject.files.iter().filter_map(warning).collect()
}
