//! `GET /checkVersion`: whether there is an update.

#[cfg(feature = "describe")]
mod describe;
mod handler;
mod request;

use http::Method;
use spindrift_service::{Ports, serve_with_after, shared};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[(Method::GET, "/checkVersion", ())]);

/// The request header that affects rollout decisions.
const VARY: &str = "X-Device-ID";

/// The request headers that make an answer one for a single client.
const PERSONAL: [&str; 2] = ["x-device-id", "x-download-token"];

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |(), request| {
        shared(&ports, &request, &PERSONAL, async || handler::check(&ports, &request).await).await
    })
    .await
    .varying_by(VARY)
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
