//! `GET /update/...`: one base address for all native updaters; and Velopack's own form, `GET /velopack/...`.

#[cfg(feature = "describe")]
mod describe;
mod handler;
mod path;

use http::Method;
use spindrift_service::{Ports, serve_with_after, shared};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

pub use path::FeedCall;

/// The routes of this component.
pub const ROUTES: Routes<FeedCall> = Routes(&[
    (Method::GET, "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/", FeedCall::Update),
    (Method::GET, "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/{file}", FeedCall::Update),
    (Method::GET, "/velopack/{owner}/{app}/{platform}/{arch}/{file}", FeedCall::Velopack),
]);

/// The request headers that can carry the device id, which affects rollout decisions.
const VARY: &str = "X-Device-ID, X-User-Staging-Id";

/// The request headers that make an answer one for a single client.
const PERSONAL: [&str; 3] = ["x-device-id", "x-user-staging-id", "x-download-token"];

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |route, request| {
        shared(&ports, &request, &PERSONAL, async || handler::feed(&ports, route, &request).await).await
    })
    .await
    .varying_by(VARY)
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
