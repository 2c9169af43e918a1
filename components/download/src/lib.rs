//! `GET /download?key=`: files of private applications; and the tokens that their clients download them with.

#[cfg(target_family = "wasm")]
mod entry;
mod handler;
mod link;
mod tokens;

use http::Method;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes};

/// The calls of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DownloadCall {
    /// A file.
    Download,
    /// The download tokens.
    ListTokens,
    /// Gives an application or a channel a new one.
    RegenerateToken,
}

/// What this component answers.
pub const ROUTES: Routes<DownloadCall> = Routes(&[
    (Method::GET, "/download", DownloadCall::Download),
    (Method::GET, "/download-tokens/list", DownloadCall::ListTokens),
    (Method::POST, "/download-tokens/regenerate", DownloadCall::RegenerateToken),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| answer(&ports, route, request).await).await
}

async fn answer<P: Ports>(ports: &P, route: DownloadCall, request: Request) -> Result<Response, Failure> {
    match route {
        DownloadCall::Download => handler::download(ports, &request).await,
        DownloadCall::ListTokens => tokens::list(ports, &request),
        DownloadCall::RegenerateToken => tokens::regenerate(ports, request).await,
    }
}
