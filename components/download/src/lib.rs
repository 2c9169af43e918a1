//! `GET /download?key=`: files of private applications; and the download tokens of their clients.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod handler;
mod link;
mod tokens;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Download: GET "/download" => handler::download(ports, &request).await, describe::download();
    ListTokens: GET "/download-tokens/list" => tokens::list(ports, &request), describe::list_tokens();
    RegenerateToken: POST "/download-tokens/regenerate" => tokens::regenerate(ports, request).await, describe::regenerate_token();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
