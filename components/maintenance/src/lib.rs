//! `POST /maintenance/run`: removes expired data, and keeps repositories of signed metadata alive.

mod bucket;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod due_changes;
mod handler;
mod objects;
mod records;
mod sweep;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Run: POST "/maintenance/run" => handler::run(ports, request).await, describe::run();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, &request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
