//! Failure reports: receiving them, their groups, and the keys that they are sent with. The reference is
//! `docs/api/reports.md`.

mod audited;
mod blobs;
mod body;
mod causes;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod details;
mod device_report;
mod filter;
mod groups;
mod gunzip;
mod ingest;
mod keys;
mod settings;
mod versions;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Ingest: POST "/reports/ingest" => ingest::ingest(ports, request).await, describe::ingest();
    ListGroups: GET "/reports/groups" => groups::list(ports, &request), describe::list_groups();
    ListBlobs: GET "/reports/groups/{hash}/blobs" => blobs::list(ports, &request), describe::list_blobs();
    ReadBlob: GET "/reports/groups/{hash}/blobs/{id}" => blobs::read(ports, &request).await, describe::read_blob();
    UpdateGroup: PATCH "/reports/groups/{hash}" => groups::update(ports, request).await, describe::update_group();
    DeleteGroup: DELETE "/reports/groups/{hash}" => groups::delete(ports, &request).await, describe::delete_group();
    ListCauses: GET "/reports/causes" => causes::list(ports, &request), describe::list_causes();
    UpdateCauses: PATCH "/reports/causes" => causes::update(ports, request).await, describe::update_causes();
    ListVersions: GET "/reports/versions" => versions::list(ports, &request), describe::list_versions();
    ListKeys: GET "/report-keys/list" => keys::list(ports, &request), describe::list_keys();
    RegenerateKey: POST "/report-keys/regenerate" => keys::regenerate(ports, request).await, describe::regenerate_key();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
