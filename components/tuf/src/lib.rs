//! `/tuf/...`: repositories of signed update metadata.

#[cfg(target_family = "wasm")]
mod entry;
mod repository;

use http::Method;
use spindrift_service::{Failure, Ports, serve_logged_by};
use spindrift_settings::{LOG_READS, LOG_REQUESTS};
use spindrift_web::{Reply, Request, Routes};

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TufCall {
    /// A file of metadata.
    File,
    /// A target.
    Target,
}

/// The routes of this component.
pub const ROUTES: Routes<TufCall> = Routes(&[
    (Method::GET, "/tuf/repository/{owner}/{app}/metadata/{file}", TufCall::File),
    (Method::GET, "/tuf/repository/{owner}/{app}/targets/{name...}", TufCall::Target),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    // Installed copies read repositories as often as they check for updates.
    let logs = if request.path().starts_with(repository::ROOT) { &LOG_READS } else { &LOG_REQUESTS };
    serve_logged_by(logs, &ports, &ROUTES, request, async |route, request| {
        answer(&ports, route, request).await
    })
    .await
}

async fn answer<P: Ports>(ports: &P, route: TufCall, request: Request) -> Result<Reply, Failure> {
    match route {
        TufCall::File => repository::file::answer(ports, &request),
        TufCall::Target => repository::target::answer(ports, &request).await.map(Reply::from),
    }
}
