//! `POST /upload/init` and `POST /upload/complete`: publishing in two steps, with files sent directly to the storage, and
//! `POST /upload/renew` in between if that takes long, `POST /upload/parts` for large files; and `POST /upload`: in one step, with files sent through the service.

mod complete;
#[cfg(feature = "describe")]
mod describe;
mod init;
mod parts;
mod presign;
mod regular;
mod renew;
mod request;
mod session;

use http::Method;
use spindrift_service::{Ports, serve};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadCall {
    /// Checks the upload and returns presigned URLs.
    Init,
    /// Returns new URLs for an upload whose files are not all sent.
    Renew,
    /// Returns presigned URLs for the parts of one file.
    Parts,
    /// Verifies the uploaded files and records the release.
    Complete,
    /// Receives the files itself.
    Regular,
}

/// The routes of this component.
pub const ROUTES: Routes<UploadCall> = Routes(&[
    (Method::POST, "/upload/init", UploadCall::Init),
    (Method::POST, "/upload/renew", UploadCall::Renew),
    (Method::POST, "/upload/parts", UploadCall::Parts),
    (Method::POST, "/upload/complete", UploadCall::Complete),
    (Method::POST, "/upload", UploadCall::Regular),
]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |route, request| match route {
        UploadCall::Init => init::init(&ports, request).await,
        UploadCall::Renew => renew::renew(&ports, request).await,
        UploadCall::Parts => parts::parts(&ports, request).await,
        UploadCall::Complete => complete::complete(&ports, request).await,
        UploadCall::Regular => regular::upload(&ports, request).await,
    })
    .await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
