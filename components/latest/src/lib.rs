//! `GET /apps/latest`: the newest builds, or a redirect to one of them.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod handler;

use spindrift_service::{Failure, Ports, serve, shared_answer};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Latest: GET "/apps/latest" => handler::latest(ports, request), describe::latest();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| {
        shared_answer(&ports, &request, &["x-download-token"], async || answer(&ports, call, &request).await)
            .await
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
