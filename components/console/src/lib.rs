//! The console: pages for people, under `/console/`. It is a client of the service's own calls, like the command line:
//! it has no store, and a page can do only what the calls allow (`docs/adr/0047-the-console-is-a-client.md`).

mod address;
mod assets;
mod catalog;
mod client_place;
mod confirm;
mod context;
mod cookies;
mod error;
mod fields;
mod form_token;
mod kept;
mod layout;
mod markdown;
mod multipart;
mod names;
mod notice;
mod pages;
mod parts;
mod plots;
mod respond;
mod rights;
mod routes;
mod sending;
mod service;

use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request};

pub use routes::{Call, ROUTES};

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| Ok(routes::answer(&ports, call, request).await))
        .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
