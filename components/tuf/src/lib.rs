//! `/tuf/...`: repositories of signed update metadata.

#[cfg(target_family = "wasm")]
mod entry;

use spindrift_service::{Ports, serve};
use spindrift_web::{ApiError, Reply, Request, Routes};

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |(), _| Err(ApiError::NotFound("not found".into()).into())).await
}
