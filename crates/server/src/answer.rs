//! Has a component answer a request, whatever it does.

use std::cell::Cell;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt as _;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode, header};
use spindrift_http::{log_line, log_of_component};
use spindrift_native::NativePlatform;
use spindrift_storage::ByteStream;
use spindrift_web::{ApiError, Random as _, Reply, Request, response};

use crate::components::Component;

/// The headers in which Spin describes a request to a component. A client's own ones are removed.
const CLIENT_ADDRESS: HeaderName = HeaderName::from_static("spin-client-addr");
const FULL_URL: HeaderName = HeaderName::from_static("spin-full-url");
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

tokio::task_local! {
    /// The component whose code runs.
    static COMPONENT: &'static str;
}

/// A request for a component.
pub(crate) struct Incoming {
    pub(crate) head: Parts,
    pub(crate) body: ByteStream,
    pub(crate) client: SocketAddr,
}

/// An answer.
pub(crate) struct Answered {
    pub(crate) reply: Reply,
    /// Whether the caller's login was accepted.
    pub(crate) has_login: bool,
}

/// Lets the log lines of components begin with their names.
pub(crate) fn log_components() {
    spindrift_web::set_log_writer(|line| match COMPONENT.try_with(|id| *id) {
        Ok(id) => log_of_component(id, line),
        Err(_) => log_line(line),
    });
}

/// Has a component answer. A panic becomes a 500 whose id is in the log.
pub(crate) async fn answer(component: Component, ports: NativePlatform, request: Incoming) -> Answered {
    let Incoming { mut head, body, client } = request;
    describe(&mut head, client);
    let id = request_id(&head, &ports);
    let what = format!("{} {}", head.method, spindrift_http::without_parameters(head.uri.path()));
    let request = Request::new(head, body);
    let context = request.context().clone();
    let answering = Cell::new(Some((component.answer)(ports, request)));
    let answered = async { answering.take().map(AssertUnwindSafe) };
    let answered = COMPONENT.scope(component.id, async {
        match answered.await {
            Some(answering) => answering.catch_unwind().await.ok(),
            None => None,
        }
    });
    let Some(mut reply) = answered.await else {
        log_line(&format!(
            r#"{{"level":"error","message":"panic","request":"{what}","request_id":"{id}","status":500}}"#
        ));
        return Answered { reply: panicked(&id), has_login: false };
    };
    reply.after = reply.after.map(|after| Box::pin(COMPONENT.scope(component.id, after)) as _);
    Answered { reply, has_login: context.has_login() }
}

/// The request was ended, or could not be begun.
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

fn panicked(id: &str) -> Reply {
    let error = ApiError::Internal { internal: String::new() };
    let mut response = response::error(&error, id);
    if let Ok(id) = HeaderValue::try_from(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response.into()
}

/// Adds the headers in which Spin describes a request.
fn describe(head: &mut Parts, client: SocketAddr) {
    let host = head.headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let target = head.uri.path_and_query().map_or("/", |target| target.as_str());
    let url = HeaderValue::try_from(format!("http://{}{target}", host.unwrap_or("localhost")));
    head.headers.remove(FULL_URL);
    if let Ok(url) = url {
        head.headers.insert(FULL_URL, url);
    }
    head.headers.remove(CLIENT_ADDRESS);
    if let Ok(client) = HeaderValue::try_from(client.to_string()) {
        head.headers.insert(CLIENT_ADDRESS, client);
    }
}

/// The caller's id for the request, or a new one, for the case that the component cannot give it one.
fn request_id(head: &Parts, ports: &NativePlatform) -> String {
    let given = head.headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_plain = |id: &&str| {
        (1..=64).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
    };
    given.filter(is_plain).map_or_else(
        || {
            let mut bytes = [0; 8];
            ports.fill(&mut bytes);
            let mut id = String::new();
            response::push_hex(&mut id, &bytes);
            id
        },
        ToOwned::to_owned,
    )
}
