//! `GET /responses/...`: answers to checks under static paths, so that any deployment can serve as an `{edge_url}`; and
//! the scope records with which an edge deployment fills its store.

#[cfg(feature = "describe")]
mod describe;
mod handler;
mod path;

use http::Method;
use spindrift_service::{Ports, serve_with_after, shared};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[
    (Method::GET, "/responses/{owner}/{app}/{channel}/{platform}/{arch}/{file}", ()),
    (Method::GET, "/responses/{owner}/{app}/{channel}/{platform}/{arch}/{updater}/{file}", ()),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |(), request| {
        let respond = async || handler::respond(&ports, &request).await.map(Reply::from);
        shared(&ports, &request, &[], respond).await
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
