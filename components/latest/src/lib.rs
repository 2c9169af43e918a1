//! `GET /apps/latest`: the newest builds, or a redirect to one of them.

#[cfg(feature = "describe")]
mod describe;
mod handler;

use http::Method;
use spindrift_service::{Ports, serve_with_after, shared};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[(Method::GET, "/apps/latest", ())]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |(), request| {
        let latest = async || handler::latest(&ports, &request).map(Reply::from);
        shared(&ports, &request, &["x-download-token"], latest).await
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
