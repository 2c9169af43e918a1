//! Pages for the users of an application (`docs/download-page.md`): `GET /get/{owner}/{app}`, from which they
//! download it; `badge.svg` below it, with the newest version; and `why`, which explains why a device gets no
//! newer version.
//!
//! The pages tell nothing that `/apps/latest`, checks and `/download` would not. They contain no scripts.

mod address;
mod badge;
mod current;
mod error_page;
mod frame;
mod page;
mod style;
mod verify;
mod why;
mod why_form;
mod why_page;

use http::Method;
use spindrift_service::{Failure, Ports, serve, shared_answer};
use spindrift_web::{Reply, Request, Routes};

/// The request headers from which the page learns the visitor's system.
const VARY: &str = "User-Agent, Sec-CH-UA-Platform, Sec-CH-UA-Arch";

/// The same headers, and those with credentials: an answer to a request with one of them is not remembered.
const VARIED_BY: [&str; 4] = ["user-agent", "sec-ch-ua-platform", "sec-ch-ua-arch", "x-download-token"];

/// The pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GetCall {
    /// The newest release for the visitor's system, and for others.
    Page,
    /// The name and newest version, as a picture.
    Badge,
    /// Why a device gets no newer version.
    Why,
}

/// The routes of this component.
pub const ROUTES: Routes<GetCall> = Routes(&[
    (Method::GET, "/get/{owner}/{app}", GetCall::Page),
    (Method::GET, "/get/{owner}/{app}/badge.svg", GetCall::Badge),
    (Method::GET, "/get/{owner}/{app}/why", GetCall::Why),
]);

async fn answer<P: Ports>(ports: &P, call: GetCall, request: &Request) -> Result<Reply, Failure> {
    match call {
        GetCall::Page => {
            let page = async || Ok(page::page(ports, request)?.into());
            Ok(shared_answer(ports, request, &VARIED_BY, page).await?.varying_by(VARY))
        }
        GetCall::Badge => {
            shared_answer(ports, request, &[], async || Ok(badge::badge(ports, request)?.into())).await
        }
        GetCall::Why => Ok(why::why(ports, request)?.into()),
    }
}

/// Answers one request. Errors are pages too, except that of a picture.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    let is_picture = ROUTES.find(request.method(), request.path()) == Ok(GetCall::Badge);
    let reply =
        serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, &request).await).await;
    if is_picture {
        return reply;
    }
    Reply { response: error_page::in_html(reply.response), after: reply.after }
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
