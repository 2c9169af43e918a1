//! `GET /metrics`: figures of the whole service from its stores, for Prometheus. The reference is
//! `docs/metrics.md`.

mod database;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod exposition;
mod handler;
mod metric;
mod offers;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Metrics: GET "/metrics" => handler::metrics(ports, request), describe::metrics();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, &request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
