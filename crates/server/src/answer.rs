//! Has a component answer a request, even if it panics.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode, header};
use spindrift_core::path_for_logs;
use spindrift_http::{log_line, log_of_component};
use spindrift_native::NativePlatform;
use spindrift_storage::ByteStream;
use spindrift_web::{ApiError, Random as _, Reply, Request, response};

use crate::components::{Component, Work};

/// Headers in which Spin describes a request to a component. Any sent by the client are removed.
const CLIENT_ADDRESS: HeaderName = HeaderName::from_static("spin-client-addr");
const FULL_URL: HeaderName = HeaderName::from_static("spin-full-url");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    /// The component whose code runs.
    static COMPONENT: &'static str;
}

/// A request for a component.
pub(crate) struct ComponentRequest {
    pub(crate) head: Parts,
    pub(crate) body: ByteStream,
    pub(crate) client: SocketAddr,
}

pub(crate) struct ComponentAnswer {
    pub(crate) reply: Reply,
    /// Whether the caller's login was accepted.
    pub(crate) has_login: bool,
}

/// Makes the log lines of components start with their names.
pub(crate) fn log_components() {
    spindrift_web::set_log_writer(|line| match COMPONENT.try_with(|id| *id) {
        Ok(id) => log_of_component(id, line),
        Err(_) => log_line(line),
    });
}

/// Has a component answer. A panic becomes a 500 whose id is in the log.
pub(crate) async fn answer(
    component: Component,
    ports: NativePlatform,
    request: ComponentRequest,
) -> ComponentAnswer {
    let ComponentRequest { mut head, body, client } = request;
    describe(component, &mut head, client);
    let (method, uri) = (head.method.clone(), head.uri.clone());
    let request = Request::new(head, body);
    let context = request.context().clone();
    let answering = COMPONENT.scope(component.id, async { (component.answer)(ports.clone(), request).await });
    let Ok(mut reply) = AssertUnwindSafe(answering).catch_unwind().await else {
        let request = format!("{method} {}", path_for_logs(uri.path()));
        return ComponentAnswer { reply: panicked(&ports, context.id(), &request), has_login: false };
    };
    reply.after = reply.after.map(|after| Box::pin(COMPONENT.scope(component.id, after)) as _);
    ComponentAnswer { reply, has_login: context.has_login() }
}

/// The answer to a request that was ended, or that could not be started.
pub(crate) fn failure(status: StatusCode, text: &'static str) -> Reply {
    let body = format!("{{\"error\":\"{text}\"}}");
    let mut response = response::respond(status, HeaderValue::from_static("application/json"), body);
    response.headers_mut().insert(header::CACHE_CONTROL, response::CACHE_NOTHING);
    response.into()
}

/// The answer for a request that took longer than `limit`.
pub(crate) fn timed_out(component: Component, limit: Duration) -> Reply {
    log_line(&format!("[{}] a request was ended after {limit:?}", component.id));
    failure(StatusCode::GATEWAY_TIMEOUT, "the request took too long")
}

/// `id` is that of the request; empty if the component has not got that far.
fn panicked(ports: &NativePlatform, mut id: String, request: &str) -> Reply {
    if id.is_empty() {
        let mut bytes = [0; 8];
        ports.fill(&mut bytes);
        response::push_hex(&mut id, &bytes);
    }
    let entry = serde_json::json!({
        "level": "error", "message": "panic", "request": request, "request_id": id, "status": 500,
    });
    log_line(&entry.to_string());
    let mut response = response::error(&ApiError::Internal { internal: String::new() }, &id);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response.into()
}

/// Removes the headers in which Spin describes a request, if the client has sent them. Components that answer
/// installed copies do not read them, so only the others get them set.
fn describe(component: Component, head: &mut Parts, client: SocketAddr) {
    head.headers.remove(FULL_URL);
    head.headers.remove(CLIENT_ADDRESS);
    if component.work != Work::Pool {
        return;
    }
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let url = HeaderValue::try_from(format!("http://{}{target}", host.unwrap_or("localhost")));
    for (name, value) in [(FULL_URL, url), (CLIENT_ADDRESS, HeaderValue::try_from(client.to_string()))] {
        if let Ok(value) = value {
            head.headers.insert(name, value);
        }
    }
}
