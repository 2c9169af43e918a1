//! `POST /upload/init` and `POST /upload/complete`: publishing in two steps, with files sent directly to the
//! storage. In between, `POST /upload/renew` if that takes long, and `POST /upload/parts` for large files.
//! `POST /upload`: publishing in one step, with files sent through the service.

mod complete;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod init;
mod parts;
mod presign;
mod regular;
mod renew;
mod request;
mod upload_session;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    Init: POST "/upload/init" => init::init(ports, request).await, describe::init();
    Renew: POST "/upload/renew" => renew::renew(ports, request).await, describe::renew();
    Parts: POST "/upload/parts" => parts::parts(ports, request).await, describe::parts();
    Complete: POST "/upload/complete" => complete::complete(ports, request).await, describe::complete();
    Regular: POST "/upload" => regular::upload(ports, request).await, describe::regular();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
