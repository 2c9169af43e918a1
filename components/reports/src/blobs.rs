//! Details in the storage: keeping them, and `GET /reports/groups/{hash}/blobs`.

use std::time::Duration;

use http::StatusCode;
use spindrift_api::{BlobEntry, BlobsBody};
use spindrift_core::{Action, Resource, StoredObject, Timestamp, Visibility, blob_path};
use spindrift_db::report_blobs::{self, Blob};
use spindrift_service::management::{enter, private_json};
use spindrift_service::{Failure, Ports, objects, settings};
use spindrift_storage::{Storage, StorageConfig, StorageError};
use spindrift_web::{Request, Response};

use crate::details::{CONTENT_TYPE, Details};
use crate::groups;
use crate::ingest::Target;

/// For how long a link to details is valid.
const LINK_TTL: Duration = Duration::from_mins(15);

/// Stores the details of a report that was counted.
pub(crate) async fn store<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    target: &Target<'_>,
    details: &Details,
    keep: u32,
) -> Result<(), Failure> {
    let config = settings::storage(ports)?;
    let storage = Storage::new(&config, ports, || ports.now());
    let key = blob_path(&target.sender.app, target.now, target.hash, ports.random_bytes());
    let blob = Blob {
        id: ports.new_id(),
        group_id: target.group.clone(),
        object: StoredObject { bucket: Visibility::Private, key },
        compressed_size: details.compressed.len() as u64,
        decompressed_size: details.decompressed_size as u64,
        created_at: target.now,
    };
    spindrift_service::report_blobs::store(ports, conn, &storage, &blob, details.compressed.clone(), keep)
        .await
}

pub(crate) fn list<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    let (conn, principal) = enter(ports, request)?;
    let group = groups::find(&conn, &principal, request)?;
    principal.require(Action::View(Resource::App), Some(&group.app_id))?;
    let blobs = report_blobs::of_group(&conn, &group.id)?;
    let (config, now) = (settings::storage(ports)?, ports.now());
    let items = blobs
        .into_iter()
        .map(|blob| {
            let url = link(&config, &blob.object, now)?;
            Ok::<_, Failure>(entry(blob, group.hash.as_str(), url))
        })
        .collect::<Result<_, _>>()?;
    private_json(StatusCode::OK, &BlobsBody { items })
}

/// A signed link; `None` where the storage cannot be reached from outside.
fn link(config: &StorageConfig, object: &StoredObject, now: Timestamp) -> Result<Option<String>, Failure> {
    match config.presign_get(&objects::location(object)?, LINK_TTL, now, None) {
        Ok(url) => Ok(Some(url)),
        Err(StorageError::PresignUnsupported) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn entry(blob: Blob, hash: &str, url: Option<String>) -> BlobEntry {
    BlobEntry {
        id: blob.id,
        group_hash: hash.to_owned(),
        storage_key: blob.object.key,
        encoding: "gzip",
        content_type: CONTENT_TYPE,
        compressed_size: blob.compressed_size,
        decompressed_size: blob.decompressed_size,
        created_at: blob.created_at.to_rfc3339(),
        url,
    }
}
