//! The console: web pages for people, under `/console/`. It is a client of the service's API, like
//! the command line: it has no store, and a page can do only what the API allows
//! (`docs/adr/0047-the-console-is-a-client.md`).

mod address;
mod answer;
mod assets;
mod catalog;
mod client_scope;
mod confirm;
mod context;
mod cookies;
mod error;
mod fields;
mod force_confirmation;
mod form_token;
mod host;
mod kept_days;
mod kept_form;
mod menu;
mod moment;
mod multipart;
mod names;
mod notice;
mod page;
mod pages;
mod parts;
mod passkey_form;
mod plots;
mod problem;
mod release_state;
mod requirements;
mod respond;
mod rights;
mod rollout;
mod routes;
mod service;
mod storage_access;
mod table;

use address::Address;
use answer::ServiceAnswer;
use catalog::Catalog;
use confirm::Confirm;
use context::Context;
use cookies::Cookie;
use error::{ConsoleError, Result};
use fields::FormFields;
use host::Host;
use kept_days::KeptDays;
use kept_form::KeptForm;
use menu::MenuEntry;
use names::DimensionNames;
use notice::Notice;
use page::ConsolePage;
use passkey_form::{PasskeyFields, PasskeyForm, PasskeyKind};
use problem::Problem;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request};

pub use routes::{ConsoleCall, ROUTES};

/// Handles a request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |call, request| {
        Ok(routes::answer(&ports, call, request).await.into())
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
