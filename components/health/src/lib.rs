//! `GET /health`, the way from `/` to the console, and the answer to all paths without another component.

#[cfg(not(target_family = "wasm"))]
mod describe;

use http::{HeaderValue, Method, StatusCode, header};
use spindrift_api::HealthBody;
use spindrift_service::log::warn;
use spindrift_service::{Failure, Ports, serve};
use spindrift_settings::{SettingError, check_all};
use spindrift_web::{Reply, Request, Response, Routes, response, routes};

routes! {
    async fn answer<P: Ports>(ports: &P, _request: &Request) -> Result<Reply, Failure>;

    Health: GET "/health" => health(ports), describe::health();
}

/// The only address that is for people alone. To programs it is an unknown path.
const START: Routes<()> = Routes(&[(Method::GET, "/", ())]);
/// The page that a browser is redirected to from there.
const CONSOLE: HeaderValue = HeaderValue::from_static("/console/");

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    if is_person_at_start(&request) {
        return serve(&ports, &START, request, async |(), _| Ok(to_console().into())).await;
    }
    serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, &request).await).await
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);

/// Whether a browser asks for a page at `/`.
fn is_person_at_start(request: &Request) -> bool {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let accept = request.header(header::ACCEPT.as_str()).unwrap_or_default();
    let mut types = accept.split(',').map(|range| range.split(';').next().unwrap_or_default().trim());
    is_read && request.path() == "/" && types.any(|name| name.eq_ignore_ascii_case("text/html"))
}

fn to_console() -> Response {
    let mut answer = response::empty(StatusCode::FOUND);
    let headers = answer.headers_mut();
    headers.insert(header::LOCATION, CONSOLE);
    headers.insert(header::CACHE_CONTROL, response::CACHE_PRIVATE);
    response::vary_by(headers, "Accept");
    answer
}

/// A key that is never written: reading it queries the store without depending on its content.
const PROBE_KEY: &str = "health.probe";

fn health(ports: &impl Ports) -> Result<Response, Failure> {
    let details = problem(ports);
    let (status, text) = match &details {
        None => (StatusCode::OK, "healthy"),
        Some(_) => (StatusCode::SERVICE_UNAVAILABLE, "unhealthy"),
    };
    let body = HealthBody { status: text.into(), details: details.map(Into::into) };
    let mut response = response::json(status, &body)?;
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_NOTHING);
    Ok(response)
}

/// The first problem: a setting, with its rule, or a store.
fn problem(ports: &impl Ports) -> Option<String> {
    if let Err(error) = check_all(ports) {
        warn("the service is unhealthy", &error);
        return Some(match error {
            SettingError::Unusable { .. } => error.to_string(),
            SettingError::NotGranted(_) | SettingError::Unreadable(_) => "settings".to_owned(),
        });
    }
    let store = match (asks_database(ports), ports.get(PROBE_KEY)) {
        (Err(_), _) => "database",
        (_, Err(_)) => "key-value store",
        (Ok(()), Ok(_)) => return None,
    };
    Some(store.to_owned())
}

/// Opening the database checks the schema, and creates it in a new database.
fn asks_database(ports: &impl Ports) -> Result<(), Failure> {
    spindrift_db::open(ports, ports.now())?;
    Ok(())
}
