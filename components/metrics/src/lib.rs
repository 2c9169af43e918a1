//! `GET /metrics`: figures of the whole service from its stores, for Prometheus. The reference is `docs/metrics.md`.

mod database;
#[cfg(feature = "describe")]
mod describe;
mod exposition;
mod handler;
mod metric;

#[cfg(feature = "describe")]
pub use describe::describe;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[(Method::GET, "/metrics", ())]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |(), request| handler::metrics(&ports, &request)).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
