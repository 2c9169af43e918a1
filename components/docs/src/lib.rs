//! `GET /openapi.json` and `GET /docs`: the description of the interface, for programs and for people.
//! `cargo xtask openapi` writes the document, and the build renders the page from it. This component needs no
//! store and reaches nobody.

mod answers;
#[cfg(not(target_family = "wasm"))]
mod describe;
#[cfg(test)]
#[path = "../renderer/page.rs"]
mod page;

use spindrift_service::{Failure, Ports, serve, shared_answer};
use spindrift_web::{Reply, Request, routes};

routes! {
    async fn answer<P: Ports>(_ports: &P, _request: &Request) -> Result<Reply, Failure>;

    Document: GET "/openapi.json" => Ok(answers::document()), describe::document();
    Page: GET "/docs" | "/docs/" => Ok(answers::page()), describe::page();
    Style: GET "/docs/style.css" => Ok(answers::style()), describe::style();
}

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| {
        shared_answer(&ports, &request, &[], async || answer(&ports, call, &request).await).await
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
