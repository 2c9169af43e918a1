//! `POST /maintenance/run`: removes what is past its time.

#[cfg(target_family = "wasm")]
mod entry;
mod handler;
mod objects;
mod records;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

/// What this component answers.
pub const ROUTES: Routes<()> = Routes(&[(Method::POST, "/maintenance/run", ())]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |(), request| handler::run(&ports, &request).await).await
}
