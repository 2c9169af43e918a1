//! Trusted publishing: a CI job proves who it is, and gets a token for one application. The reference is
//! `docs/api/publishers.md`.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod exchange;
mod issuer_keys;
mod issuers;
mod new_publisher;
mod publishers;
mod refusal;

use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;

    CreatePublisher: POST "/publishers" => publishers::create(ports, request).await, describe::create_publisher();
    ListPublishers: GET "/publishers" => publishers::list(ports, &request), describe::list_publishers();
    DeletePublisher: DELETE "/publishers" => publishers::delete(ports, &request), describe::delete_publisher();
    Exchange: POST "/tokens/exchange" => exchange::exchange(ports, request).await, describe::exchange();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
