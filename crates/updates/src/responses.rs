//! `GET /responses/...`: answers to checks under static paths, so that any deployment can serve as an
//! `{edge_url}`; and the scope records with which an edge deployment fills its store.

#[cfg(not(target_family = "wasm"))]
mod describe;
mod handler;
mod path;

use spindrift_service::{Failure, Ports, serve, shared_answer};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Respond: GET
        "/responses/{owner}/{app}/{channel}/{platform}/{arch}/{file}"
        | "/responses/{owner}/{app}/{channel}/{platform}/{arch}/{updater}/{file}"
        => handler::respond(ports, request).await, describe::respond();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| {
        shared_answer(&ports, &request, &[], async || answer(&ports, call, &request).await).await
    })
    .await
}
