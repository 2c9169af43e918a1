//! `GET /checkVersion`: whether there is an update.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod handler;
mod request;

use spindrift_service::{Failure, Ports, serve, shared_answer};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Check: GET "/checkVersion" => handler::check(ports, request).await, describe::check();
}

/// The request header that affects rollout decisions.
const VARY: &str = "X-Device-ID";

/// The request headers that make an answer one for a single client.
const PERSONAL: [&str; 2] = ["x-device-id", "x-download-token"];

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| {
        shared_answer(&ports, &request, &PERSONAL, async || answer(&ports, call, &request).await).await
    })
    .await
    .varying_by(VARY)
}
