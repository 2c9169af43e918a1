//! `POST /maintenance/run`: removes expired data, and keeps repositories of signed metadata alive.

mod bucket;
#[cfg(feature = "describe")]
mod describe;
mod handler;
mod objects;
mod records;
mod sweep;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[(Method::POST, "/maintenance/run", ())]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |(), request| handler::run(&ports, &request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
