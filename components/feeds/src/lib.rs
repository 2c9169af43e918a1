//! `GET /update/...`: one base address for all native updaters; and Velopack's own form, `GET /velopack/...`.

#[cfg(target_family = "wasm")]
mod entry;
mod handler;
mod path;

use http::Method;
use spindrift_service::{Ports, serve_with_after};
use spindrift_web::{Reply, Request, Routes};

pub use path::Route;

/// The routes of this component.
pub const ROUTES: Routes<Route> = Routes(&[
    (Method::GET, "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/", Route::Update),
    (Method::GET, "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/{file}", Route::Update),
    (Method::GET, "/velopack/{owner}/{app}/{platform}/{arch}/{file}", Route::Velopack),
]);

/// The request headers that can carry the device id, which affects rollout decisions.
const VARY: &str = "X-Device-ID, X-User-Staging-Id";

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |route, request| {
        handler::feed(&ports, route, &request).await
    })
    .await
    .varying_by(VARY)
}
