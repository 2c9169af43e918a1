//! `GET /checkVersion`: whether there is an update.

#[cfg(target_family = "wasm")]
mod entry;
mod handler;
mod request;

use http::Method;
use spindrift_service::{Ports, serve_with_after};
use spindrift_web::{Reply, Request, Routes};

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[(Method::GET, "/checkVersion", ())]);

/// The request header that affects rollout decisions.
const VARY: &str = "X-Device-ID";

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |(), request| handler::check(&ports, &request).await)
        .await
        .varying_by(VARY)
}
