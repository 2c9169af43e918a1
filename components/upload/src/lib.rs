//! `POST /upload/init` and `POST /upload/complete`: publishing in two steps, bytes straight to the storage; and
//! `POST /upload`: in one, bytes through the service.

mod complete;
#[cfg(target_family = "wasm")]
mod entry;
mod init;
mod regular;
mod request;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

/// The calls of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadCall {
    /// Checks everything and answers presigned URLs.
    Init,
    /// Verifies what was sent and records it.
    Complete,
    /// Takes the bytes itself.
    Regular,
}

/// What this component answers.
pub const ROUTES: Routes<UploadCall> = Routes(&[
    (Method::POST, "/upload/init", UploadCall::Init),
    (Method::POST, "/upload/complete", UploadCall::Complete),
    (Method::POST, "/upload", UploadCall::Regular),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| match route {
        UploadCall::Init => init::init(&ports, request).await,
        UploadCall::Complete => complete::complete(&ports, request).await,
        UploadCall::Regular => regular::upload(&ports, request).await,
    })
    .await
}
