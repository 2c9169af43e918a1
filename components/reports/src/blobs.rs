//! Details of reports in the storage: storing them, `GET /reports/groups/{hash}/blobs`, and
//! `GET /reports/groups/{hash}/blobs/{id}`.

use std::time::Duration;

use http::{HeaderValue, StatusCode, header};
use spindrift_api::{BlobEntry, BlobStorage, BlobsBody, DETAILS_CONTENT_TYPE};
use spindrift_core::{Action, Resource, StoredObject, Timestamp, Visibility, blob_path};
use spindrift_db::report_blobs::{self, Blob};
use spindrift_db::report_events::CountedGroup;
use spindrift_db::report_groups::ReportGroup;
use spindrift_db::report_keys::KeyOwner;
use spindrift_service::objects::report_blobs::ReportBlobs;
use spindrift_service::requests::Session;
use spindrift_service::requests::management::private_json;
use spindrift_service::{Failure, Ports, objects, settings};
use spindrift_storage::{StorageConfig, StorageDriver, StorageError};
use spindrift_web::{ApiError, Request, Response, response};

use crate::details::Details;
use crate::groups;

/// The type of stored details.
const GZIP: HeaderValue = HeaderValue::from_static("application/gzip");
/// How long a link to details is valid.
const LINK_TTL: Duration = Duration::from_mins(15);

/// A counted report.
pub(crate) struct CountedReport {
    pub(crate) sender: KeyOwner,
    pub(crate) group: CountedGroup,
    pub(crate) now: Timestamp,
}

/// Stores the details of a counted report.
pub(crate) async fn store<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    target: &CountedReport,
    details: &Details,
    keep: u32,
) -> Result<(), Failure> {
    let storage = objects::storage(ports)?;
    let key = blob_path(&target.sender.app, target.now, &target.group.hash, ports.random_bytes());
    let blob = Blob {
        id: ports.new_id(),
        group_id: target.group.id.clone(),
        object: StoredObject { bucket: Visibility::Private, key },
        compressed_size: details.compressed.len() as u64,
        decompressed_size: details.decompressed_size as u64,
        created_at: target.now,
    };
    let body = details.compressed.clone();
    Ok(ReportBlobs { ports, conn, storage: &storage }.store(&blob, body, keep).await?)
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let group = groups::find(&session.conn, &session.principal, request)?;
    session.require(Action::View(Resource::App), Some(&group.app_id))?;
    let blobs = report_blobs::of_group(&session.conn, &group.id)?;
    let (config, now) = (settings::storage(ports)?, session.now);
    let items = blobs
        .into_iter()
        .map(|blob| {
            let url = link(&config, &blob.object, now)?;
            Ok::<_, Failure>(entry(blob, &group, config.driver(), url))
        })
        .collect::<Result<_, _>>()?;
    private_json(StatusCode::OK, &BlobsBody { items })
}

/// The compressed bytes of one report's details: for callers that cannot reach the storage.
pub(crate) async fn read<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let session = Session::enter(ports, request)?;
    let group = groups::find(&session.conn, &session.principal, request)?;
    session.require(Action::View(Resource::App), Some(&group.app_id))?;
    let id = request.path().rsplit('/').next().unwrap_or_default();
    let blobs = report_blobs::of_group(&session.conn, &group.id)?;
    let gone = || ApiError::not_found("report details");
    let blob = blobs.into_iter().find(|blob| blob.id.as_str() == id).ok_or_else(gone)?;
    let storage = objects::storage(ports)?;
    let limit = usize::try_from(blob.compressed_size).unwrap_or(usize::MAX);
    // Newer details may have taken their place since.
    let bytes = storage.get(&objects::location(&blob.object)?, limit).await?.ok_or_else(gone)?;
    let mut answer = response::respond(StatusCode::OK, GZIP, bytes);
    let headers = answer.headers_mut();
    headers.insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(answer)
}

/// A presigned URL and its expiry.
struct PresignedLink {
    url: String,
    expires_at: Timestamp,
}

/// `None` if the storage cannot be reached from outside.
fn link(
    config: &StorageConfig,
    object: &StoredObject,
    now: Timestamp,
) -> Result<Option<PresignedLink>, Failure> {
    match config.presign_get(&objects::location(object)?, LINK_TTL, now, None) {
        Ok(url) => {
            Ok(Some(PresignedLink { url, expires_at: now.plus_seconds(LINK_TTL.as_secs().cast_signed()) }))
        }
        Err(StorageError::PresignUnsupported) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn entry(blob: Blob, group: &ReportGroup, driver: StorageDriver, link: Option<PresignedLink>) -> BlobEntry {
    let (url, expires_at) = link.map(|link| (link.url, link.expires_at.to_rfc3339())).unzip();
    let (application, system, event) = groups::parts(&group.report);
    BlobEntry {
        id: blob.id,
        group_hash: group.hash.as_str().to_owned(),
        app_id: group.app_id.clone(),
        application,
        system,
        event,
        storage: BlobStorage {
            driver: driver.as_str().into(),
            key: blob.object.key,
            compressed_size: blob.compressed_size,
            decompressed_size: blob.decompressed_size,
            content_type: DETAILS_CONTENT_TYPE.into(),
            encoding: "gzip".into(),
        },
        url,
        expires_at,
        created_at: blob.created_at.to_rfc3339(),
    }
}
