//! `POST /apps/update`, `DELETE /apps/delete`, `POST /artifact/delete`: publishing, editing and deleting releases.
//!
//! Apart from `catalog`, so that the calls that can destroy published files are in one small component.

// The future of a change that publishes, syncs targets and deletes files has more layers than the default of 128.
#![recursion_limit = "256"]

mod delete;
#[cfg(feature = "describe")]
mod describe;
mod request;
mod update;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReleaseCall {
    /// Changes how a release is offered.
    Update,
    /// Deletes a release with all its files.
    DeleteRelease,
    /// Deletes some artifacts of a release.
    DeleteArtifacts,
}

/// The routes of this component.
pub const ROUTES: Routes<ReleaseCall> = Routes(&[
    (Method::POST, "/apps/update", ReleaseCall::Update),
    (Method::DELETE, "/apps/delete", ReleaseCall::DeleteRelease),
    (Method::POST, "/artifact/delete", ReleaseCall::DeleteArtifacts),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| match route {
        ReleaseCall::Update => update::update(&ports, request).await,
        ReleaseCall::DeleteRelease => delete::release(&ports, &request).await,
        ReleaseCall::DeleteArtifacts => delete::artifacts(&ports, request).await,
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
