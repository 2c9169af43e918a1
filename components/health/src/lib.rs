//! `GET /health`, and the answer to all paths without another component.

#[cfg(feature = "describe")]
mod describe;
#[cfg(target_family = "wasm")]
mod entry;

use http::{Method, StatusCode, header};
use spindrift_api::HealthBody;
use spindrift_service::{Failure, Ports, serve};
use spindrift_web::{Reply, Request, Response, Routes, response};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The routes of this component.
pub const ROUTES: Routes<()> = Routes(&[(Method::GET, "/health", ())]);

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    serve(&ports, &ROUTES, request, async |(), _| health(&ports)).await
}

/// A key that is never written: reading it queries the store without depending on its content.
const PROBE_KEY: &str = "health.probe";

fn health(ports: &impl Ports) -> Result<Response, Failure> {
    let details = match (asks_database(ports), ports.get(PROBE_KEY)) {
        (Err(_), _) => Some("database"),
        (_, Err(_)) => Some("key-value store"),
        (Ok(()), Ok(_)) => None,
    };
    let (status, text) = match details {
        None => (StatusCode::OK, "healthy"),
        Some(_) => (StatusCode::SERVICE_UNAVAILABLE, "unhealthy"),
    };
    let body = HealthBody { status: text.into(), details: details.map(Into::into) };
    let mut response = response::json(status, &body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_NOTHING);
    Ok(response)
}

/// Opening the database checks the schema, and creates it in a new database.
fn asks_database(ports: &impl Ports) -> Result<(), Failure> {
    spindrift_db::open(ports, ports.now())?;
    Ok(())
}
