//! `GET /openapi.json` and `GET /docs`: the description of the interface, for programs and for people.
//! `cargo xtask openapi` writes both. This component needs no store and reaches nobody.

#[cfg(feature = "describe")]
mod describe;
mod page;

use http::Method;
use spindrift_service::{Ports, serve_with_after, shared};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

pub use page::DocsCall;

/// The routes of this component.
pub const ROUTES: Routes<DocsCall> = Routes(&[
    (Method::GET, "/openapi.json", DocsCall::Document),
    (Method::GET, "/docs", DocsCall::Page),
    (Method::GET, "/docs/", DocsCall::Page),
    (Method::GET, "/docs/style.css", DocsCall::Style),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve_with_after(&ports, &ROUTES, request, async |call, request| {
        shared(&ports, &request, &[], async || Ok(page::answer(call).into())).await
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
