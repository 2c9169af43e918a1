//! `POST /apps/update`, `DELETE /apps/delete`, `POST /artifact/delete`: publishing, editing and deleting releases.
//!
//! Apart from `catalog`, whose calls would take longer to load: publishing and signing are most of this component.

// The future of a change that publishes, syncs targets and deletes files has more layers than the default of 128.
#![recursion_limit = "256"]

mod delete;
#[cfg(feature = "describe")]
mod describe;
mod request;
mod update;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Update: POST "/apps/update" => update::update(ports, request).await, describe::update();
    DeleteRelease: DELETE "/apps/delete" => delete::release(ports, &request).await, describe::delete_release();
    DeleteArtifacts: POST "/artifact/delete" => delete::artifacts(ports, request).await, describe::delete_artifacts();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
