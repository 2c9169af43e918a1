//! `GET /download?key=`: files of private applications.

#[cfg(target_family = "wasm")]
mod entry;
mod handler;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

/// What this component answers.
pub const ROUTES: Routes<()> = Routes(&[(Method::GET, "/download", ())]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |(), request| handler::download(&ports, &request).await).await
}
