//! `GET /update/...`: one base address for all native updaters; and Velopack's own form, `GET /velopack/...`.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod handler;
mod path;

use spindrift_service::{Failure, Ports, serve, shared_answer};
use spindrift_web::{Reply, Request, routes};

use self::path::FeedPath;

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Update: GET
        "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/"
        | "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/{file}"
        => handler::feed(ports, FeedPath::update, request).await, describe::update();
    ReleaseFile: GET "/update/{owner}/{app}/{channel}/{platform}/{arch}/{version}/files/{file}"
        => handler::feed(ports, FeedPath::release_file, request).await, describe::release_file();
    Velopack: GET "/velopack/{owner}/{app}/{platform}/{arch}/{file}"
        | "/velopack/{owner}/{app}/{channel}/{platform}/{arch}/{file}"
        => handler::feed(ports, FeedPath::velopack, request).await, describe::velopack();
}

/// The request headers that can carry the device id, which affects rollout decisions.
const VARY: &str = "X-Device-ID, X-User-Staging-Id";

/// The request headers that make an answer one for a single client.
const PERSONAL: [&str; 3] = ["x-device-id", "x-user-staging-id", "x-download-token"];

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| {
        shared_answer(&ports, &request, &PERSONAL, async || answer(&ports, call, &request).await).await
    })
    .await
    .varying_by(VARY)
}
