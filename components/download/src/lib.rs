//! `GET /download?key=`: files of private applications; and the download tokens of their clients.

#[cfg(feature = "describe")]
mod describe;
mod handler;
mod link;
mod tokens;

use http::Method;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadCall {
    /// Downloads a file.
    Download,
    /// Lists the download tokens.
    ListTokens,
    /// Replaces the token of an application or a channel.
    RegenerateToken,
}

/// The routes of this component.
pub const ROUTES: Routes<DownloadCall> = Routes(&[
    (Method::GET, "/download", DownloadCall::Download),
    (Method::GET, "/download-tokens/list", DownloadCall::ListTokens),
    (Method::POST, "/download-tokens/regenerate", DownloadCall::RegenerateToken),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);

async fn answer<P: Ports>(ports: &P, route: DownloadCall, request: Request) -> Result<Response, Failure> {
    match route {
        DownloadCall::Download => handler::download(ports, &request).await,
        DownloadCall::ListTokens => tokens::list(ports, &request),
        DownloadCall::RegenerateToken => tokens::regenerate(ports, request).await,
    }
}
