//! The frame of every request: its id, CORS, routing, errors and the log.

use std::rc::Rc;

use http::{HeaderName, HeaderValue, StatusCode};
use serde::Serialize;
use spindrift_core::{UserName, path_for_logs};
use spindrift_settings::{ALLOWED_CORS, LOG_REQUESTS, Setting, SettingError};
use spindrift_web::cors::{self, Origins};
use spindrift_web::{ApiError, DeferredWork, Reply, Request, Routes, log_line, response};

use crate::{Failure, Ports};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest request id accepted from a caller, in characters.
const MAX_REQUEST_ID_LENGTH: usize = 64;
/// Random bytes of a generated request id: one word, which takes one call to the host.
const REQUEST_ID_BYTES: usize = 8;

/// Answers `request` with the handler of its route. Every component calls this once for each request.
///
/// In this order, it reads the settings for logging and CORS, gives the request an id (the caller's, if that
/// is valid), answers CORS preflights, finds the route, and calls `handler`. A [`Failure`] becomes a response
/// here and nowhere else: the caller gets a status, a code and the id; the log gets the internal details of a
/// 5xx. At the end it adds the headers for the id and for CORS, and writes the log line.
///
/// A handler can leave work to be done after the response is sent: in [`Reply::after`], or with `run_after`
/// of the request's context. The platform runs that work; `serve` does not wait for it.
///
/// `serve` does not authenticate, because most requests have no login. Handlers do that themselves
/// ([`super::Session`]).
///
/// ```ignore
/// routes! {
///     async fn answer<P: Ports>(ports: &P, request: Request) -> Result<Reply, Failure>;
///
///     List: GET "/notes" => notes::list(ports, request).await, describe::list();
/// }
///
/// pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
///     serve(&ports, &ROUTES, request, async |call, request| answer(&ports, call, request).await).await
/// }
/// ```
pub async fn serve<P: Ports, R: Copy>(
    ports: &P,
    routes: &Routes<R>,
    request: Request,
    handler: impl AsyncFnOnce(R, Request) -> Result<Reply, Failure>,
) -> Reply {
    serve_logged_by(&LOG_REQUESTS, ports, routes, request, handler).await
}

/// Like [`serve`], for a component that does not log all its requests by the same setting.
pub async fn serve_logged_by<P: Ports, R: Copy>(
    logs: &Setting<Option<bool>>,
    ports: &P,
    routes: &Routes<R>,
    request: Request,
    handler: impl AsyncFnOnce(R, Request) -> Result<Reply, Failure>,
) -> Reply {
    let (settings, not_granted) = match read_settings(ports, logs) {
        Ok(settings) => (settings, None),
        Err(error) => (ServeSettings::default(), Some(error)),
    };
    // The clock is read only for the log, because each call to the host takes a microsecond.
    let started = settings.is_logged.then(|| ports.now());
    let id = request_id(ports, &request);
    let context = Rc::clone(request.context());
    context.set_id(id);
    let origins = Origins::of(&request, &settings.allowed_origins);
    let line = [request.method().as_str(), " ", &path_for_logs(request.path())].concat();
    let mut reply = if origins.is_preflight(&request) {
        cors::preflight().into()
    } else {
        let route = match not_granted {
            None => routes.find(request.method(), request.path()),
            Some(error) => Err(Failure::from(error).into_api()),
        };
        let answer = match route {
            Ok(route) => handler(route, request).await.map_err(Failure::into_api),
            Err(error) => Err(error),
        };
        answer.unwrap_or_else(|error| {
            let id = context.id();
            log_failure(&error, &id, &line);
            response::error(&error, &id).into()
        })
    };
    if let Some(started) = started {
        let duration_ms = ports.now().as_millis() - started.as_millis();
        log_request(&line, reply.response.status(), duration_ms, context.owner().as_ref(), &context.id());
    }
    reply.after = run_both(reply.after.take(), context.take_deferred());
    let headers = reply.response.headers_mut();
    if let Ok(value) = HeaderValue::try_from(context.take_id()) {
        headers.insert(REQUEST_ID, value);
    }
    origins.mark(headers);
    reply
}

/// Runs `first`, and then `then`.
fn run_both(first: Option<DeferredWork>, then: Option<DeferredWork>) -> Option<DeferredWork> {
    match (first, then) {
        (Some(first), Some(then)) => Some(Box::pin(async move {
            first.await;
            then.await;
        })),
        (work, None) | (None, work) => work,
    }
}

fn request_id(ports: &impl Ports, request: &Request) -> String {
    let valid = |id: &&str| {
        (1..=MAX_REQUEST_ID_LENGTH).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    if let Some(id) = request.header(REQUEST_ID.as_str()).filter(valid) {
        return id.to_owned();
    }
    let mut id = String::with_capacity(2 * REQUEST_ID_BYTES);
    response::push_hex(&mut id, &ports.random_bytes::<REQUEST_ID_BYTES>());
    id
}

/// The settings that every request needs.
#[derive(Default)]
struct ServeSettings {
    is_logged: bool,
    /// The origins that may read the answer.
    allowed_origins: String,
}

fn read_settings(ports: &impl Ports, logs: &Setting<Option<bool>>) -> Result<ServeSettings, SettingError> {
    let is_logged = or_default(logs.read(ports))?.unwrap_or_default();
    Ok(ServeSettings { is_logged, allowed_origins: or_default(ALLOWED_CORS.read(ports))? })
}

/// A bad value of a setting for logging or CORS does not make a request fail. A setting that the component
/// was not granted is a mistake of ours, and does.
fn or_default<T: Default>(setting: Result<T, SettingError>) -> Result<T, SettingError> {
    match setting {
        Err(SettingError::Unreadable(_) | SettingError::Unusable { .. }) => Ok(T::default()),
        other => other,
    }
}

/// Logs one line per request, if that is enabled. Queries, path parameters and headers are left out, because
/// they contain keys, tokens and device identifiers.
fn log_request(line: &str, status: StatusCode, duration_ms: i64, owner: Option<&UserName>, request_id: &str) {
    let status = status.as_u16();
    let entry = RequestLine { duration_ms, level: "info", owner, request: line, request_id, status };
    log_line(serde_json::to_string(&entry).unwrap_or_default());
}

/// The log line of a request. Making a JSON value first took a twentieth of a check's instructions.
#[derive(Serialize)]
struct RequestLine<'a> {
    duration_ms: i64,
    level: &'static str,
    owner: Option<&'a UserName>,
    request: &'a str,
    request_id: &'a str,
    status: u16,
}

/// Logs one line with the details that the caller does not get.
fn log_failure(error: &ApiError, request_id: &str, line: &str) {
    let status = error.status();
    if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
        let entry = serde_json::json!({
            "level": "error",
            "message": error.to_string(),
            "status": status.as_u16(),
            "request": line,
            "request_id": request_id,
            "reason": error.internal(),
        });
        log_line(entry);
    }
}
