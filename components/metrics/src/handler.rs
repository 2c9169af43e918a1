//! The call, for holders of the token.

use http::{HeaderValue, StatusCode, header};
use spindrift_service::requests::operator::has_token;
use spindrift_service::{Failure, Ports, log};
use spindrift_settings::METRICS_TOKEN;
use spindrift_web::{ApiError, Request, Response, response};

use crate::database;
use crate::exposition::Exposition;
use crate::metric::{BUILD_INFO, STORE_UP};

/// The text format of Prometheus.
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
/// A key that is never written: reading it asks the store, which need not hold anything.
const PROBE_KEY: &str = "metrics.probe";

/// A store that does not answer is reported as a value and does not fail the call, because that is
/// when people need the metrics.
pub(crate) fn metrics<P: Ports>(ports: &P, request: &Request) -> Result<Response, Failure> {
    authorize(ports, request)?;
    let mut exposition = Exposition::default();
    exposition.set(&BUILD_INFO, &[env!("CARGO_PKG_VERSION")], 1.0)?;
    let read = database::read(ports);
    if let Err(failure) = &read {
        log::warn("metrics lack the figures from the database", failure);
    }
    for (store, is_up) in [("database", read.is_ok()), ("key_value", ports.get(PROBE_KEY).is_ok())] {
        exposition.set(&STORE_UP, &[store], f64::from(u8::from(is_up)))?;
    }
    if let Ok(sums) = read {
        sums.expose(&mut exposition, ports.now())?;
    }
    let mut response = response::respond(StatusCode::OK, TEXT, exposition.text()?);
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    Ok(response)
}

/// 404 without a configured token, as if there were no such path; 401 with another one.
fn authorize(ports: &impl Ports, request: &Request) -> Result<(), Failure> {
    let token = METRICS_TOKEN.read(ports)?;
    if token.is_empty() {
        return Err(ApiError::NotFound("not found".into()).into());
    }
    if has_token(request, &token) {
        return Ok(());
    }
    Err(ApiError::Unauthorized("the metrics token is needed".into()).into())
}
