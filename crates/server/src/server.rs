//! The server: decides which thread answers a request, and when.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::channel::mpsc;
use futures::{SinkExt as _, StreamExt as _};
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::response::Parts as ResponseHead;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming as HyperBody};
use hyper::service::service_fn;
use spindrift_core::TrustedProxies;
use spindrift_http::{BodyError, Listener, RequestBody, Tasks, connection, log_line};
use spindrift_native::NativePlatform;
use spindrift_settings::{TRUSTED_PROXIES, Variables as _};
use spindrift_web::{Reply, ResponseBody};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio_util::task::LocalPoolHandle;

use crate::admission::{AdmissionControl, CallerKind, RequestPermit};
use crate::answer::{self, ComponentRequest};
use crate::application::Application;
use crate::components::{Component, Work};
use crate::limits::ServerLimits;
use crate::logins::bearer_token;
use crate::observer::Observer;
use crate::small_body::{self, ReceivedBody};

/// Pause after a failed `accept`, for example when no file descriptors are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Number of parts of a body that may wait between the thread that produces them and the one that sends them.
const PARTS: usize = 4;

type OutBody = Pin<Box<dyn http_body::Body<Data = Bytes, Error = std::io::Error>>>;

/// A running server. Dropping it ends it at once; [`Server::stop`] waits for running requests first.
#[derive(Debug)]
pub struct Server {
    url: String,
    application: Application,
    tasks: Tasks,
    limits: ServerLimits,
}

struct ServerState {
    application: Application,
    limits: ServerLimits,
    admission: AdmissionControl,
    proxies: TrustedProxies,
    observer: Option<Arc<dyn Observer>>,
    /// One for each processor. Connections live there.
    threads: LocalPoolHandle,
    workers: LocalPoolHandle,
    tasks: Tasks,
}

impl Server {
    /// Starts to serve. Must be called inside a tokio runtime.
    pub fn start(
        application: Application,
        listener: Listener,
        limits: ServerLimits,
        observer: Option<Arc<dyn Observer>>,
    ) -> Self {
        answer::log_components();
        let tasks = application.inner().tasks.clone();
        let shared = Arc::new(ServerState {
            admission: AdmissionControl::new(&limits),
            proxies: proxies(&application),
            threads: LocalPoolHandle::new(std::thread::available_parallelism().map_or(1, usize::from)),
            workers: LocalPoolHandle::new(limits.workers.max(1)),
            application: application.clone(),
            tasks: tasks.clone(),
            limits,
            observer,
        });
        let url = listener.url().to_owned();
        drop(tasks.spawn(accept(listener, shared)));
        Self { url, application, tasks, limits }
    }

    /// The base URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The application that is served.
    pub fn application(&self) -> &Application {
        &self.application
    }

    /// Refuses new connections, then waits for running requests and for work after answers, up to the limit.
    pub async fn stop(self) {
        self.tasks.stop(self.limits.connections.stop_wait).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tasks.kill();
    }
}

/// The trusted proxies from the settings. An unreadable list trusts no proxy, but the program refuses to
/// start with one.
fn proxies(application: &Application) -> TrustedProxies {
    let list = application.platform().variable(TRUSTED_PROXIES.row.name).ok().flatten();
    list.and_then(|list| list.parse().ok()).unwrap_or_default()
}

/// Assigns each connection to the next thread.
async fn accept(listener: Listener, shared: Arc<ServerState>) {
    let processors = shared.threads.num_threads();
    let stopping = shared.tasks.stop_token();
    let mut next = 0;
    while let Some(accepted) = stopping.run_until_cancelled(listener.accept()).await {
        let accepted = accepted.and_then(|(stream, client)| Ok((stream.into_std()?, client)));
        match accepted {
            Ok((stream, client)) => {
                let shared = shared.clone();
                next = (next + 1) % processors;
                // Until the thread has started on the connection, this keeps a stop from completing without
                // it.
                let tracked = shared.tasks.token();
                let threads = shared.threads.clone();
                drop(threads.spawn_pinned_by_idx(
                    move || async move {
                        let tasks = shared.tasks.clone();
                        tasks.track(serve_connection(stream, client, shared)).await;
                        drop(tracked);
                    },
                    next,
                ));
            }
            Err(error) => {
                log_line(&format!("accepting a connection failed: {error}"));
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn serve_connection(stream: std::net::TcpStream, client: SocketAddr, shared: Arc<ServerState>) {
    let Ok(stream) = TcpStream::from_std(stream) else { return };
    let (stopping, limits) = (shared.tasks.stop_token(), shared.limits.connections);
    let service = service_fn(move |request: Request<HyperBody>| {
        let shared = shared.clone();
        async move { Ok::<_, Infallible>(shared.respond(RequestBody::of(request, limits), client).await) }
    });
    connection(stream, service, stopping, limits).await;
}

impl ServerState {
    async fn respond(
        self: Arc<Self>,
        request: Request<RequestBody>,
        client: SocketAddr,
    ) -> Response<OutBody> {
        let started = Instant::now();
        let (head, body) = request.into_parts();
        let (is_head, is_get) = (head.method == Method::HEAD, head.method == Method::GET);
        let path = self.observer.as_ref().filter(|_| is_get).map(|_| head.uri.path().to_owned());
        let Some(linked) = self.application.find(head.uri.path()) else {
            return outgoing(answer::failure(StatusCode::NOT_FOUND, "not found").response, is_head);
        };
        let (component, ports) = (linked.component, self.application.inner().restricted_platform(linked));
        let limits = &self.limits;
        let arrived = small_body::read(&head.headers, body, limits.small_body_bytes, limits.small_body_time);
        let response = match arrived.await {
            Ok(body) => {
                self.clone().answer(PendingRequest { component, ports, head, body, client }, is_head).await
            }
            Err(error) => outgoing(refused_body(&error).response, is_head),
        };
        let Some(observer) = &self.observer else { return response };
        observer.answered(component.id, response.status(), started.elapsed());
        let addition = path.filter(|_| response.status() == StatusCode::OK);
        match addition.and_then(|path| observer.addition(&path)) {
            Some(addition) => with_addition(response, &addition).await,
            None => response,
        }
    }

    async fn answer(self: Arc<Self>, call: PendingRequest, is_head: bool) -> Response<OutBody> {
        let caller = self.caller(call.component, &call.head);
        let permit = self.admission.take(caller, self.address(&call)).await;
        if call.component.work == Work::Here && caller == CallerKind::Copy {
            return outgoing(self.run(call, permit).await.0, is_head);
        }
        self.answer_on_pool(call, permit, is_head).await
    }

    /// The kind of caller. A login in a request to a component for installed copies shows that a person sends
    /// it: copies have none.
    fn caller(&self, component: Component, head: &Parts) -> CallerKind {
        let claims = head.headers.contains_key(header::AUTHORIZATION);
        if component.work != Work::Pool && !claims {
            return CallerKind::Copy;
        }
        if self.application.inner().logins.has(&head.headers, Instant::now()) {
            return CallerKind::Known;
        }
        if claims { CallerKind::Unknown } else { CallerKind::Stranger }
    }

    /// The address of the client, as reported by trusted proxies.
    fn address(&self, call: &PendingRequest) -> IpAddr {
        let forwarded = call.head.headers.get_all("x-forwarded-for").into_iter();
        self.proxies.client(call.client.ip(), forwarded.map(|list| list.to_str().unwrap_or_default())).ip()
    }

    /// Has the component answer on this thread. Work after the answer keeps the permit; without such work,
    /// the permit is returned.
    async fn run(
        self: &Arc<Self>,
        call: PendingRequest,
        permit: RequestPermit,
    ) -> (spindrift_web::Response, Option<RequestPermit>) {
        let PendingRequest { component, ports, head, body, client } = call;
        let token = bearer_token(&head.headers);
        let request = ComponentRequest { head, body: body.into_stream(), client };
        let limit = self.limits.request_timeout;
        let answering = answer::answer(component, ports, request);
        let Ok(answered) = tokio::time::timeout(limit, answering).await else {
            return (answer::timed_out(component, limit).response, Some(permit));
        };
        if let Some(token) = token.filter(|_| answered.has_login) {
            self.application.inner().logins.note(token, Instant::now());
        }
        let Reply { response, after } = answered.reply;
        let Some(after) = after else { return (response, Some(permit)) };
        let after = self.tasks.track(tokio::time::timeout(limit, after));
        tokio::task::spawn_local(async move {
            let _ = after.await;
            drop(permit);
        });
        (response, None)
    }

    /// Has the component answer on a thread of the pool. It continues even if the client disconnects.
    async fn answer_on_pool(
        self: Arc<Self>,
        call: PendingRequest,
        permit: RequestPermit,
        is_head: bool,
    ) -> Response<OutBody> {
        let (sender, receiver) = oneshot::channel();
        let token = self.tasks.token();
        let shared = self.clone();
        drop(self.workers.spawn_pinned(move || async move {
            let tasks = shared.tasks.clone();
            let work = async {
                // The permit is also held until the body is on its way.
                let (response, _permit) = shared.run(call, permit).await;
                let (head, body) = response.into_parts();
                match body {
                    ResponseBody::Full(bytes) => drop(sender.send((head, MovedBody::Full(bytes)))),
                    ResponseBody::Stream(stream, length) => {
                        let (parts, moved) = mpsc::channel(PARTS);
                        if sender.send((head, MovedBody::Stream(moved, length))).is_ok() {
                            pump(stream, parts).await;
                        }
                    }
                }
            };
            tasks.track(work).await;
            drop(token);
        }));
        // If there is no answer, the work was ended together with the server.
        let Ok((head, body)) = receiver.await else {
            let reply = answer::failure(StatusCode::SERVICE_UNAVAILABLE, "shutting down");
            return outgoing(reply.response, is_head);
        };
        finish_response(head, body.into_body(), is_head)
    }
}

/// A request for a component to answer.
struct PendingRequest {
    component: Component,
    ports: NativePlatform,
    head: Parts,
    body: ReceivedBody,
    client: SocketAddr,
}

/// A body on its way to the thread of the connection.
enum MovedBody {
    Full(Bytes),
    Stream(mpsc::Receiver<std::io::Result<Bytes>>, u64),
}

impl MovedBody {
    fn into_body(self) -> ResponseBody {
        match self {
            Self::Full(bytes) => ResponseBody::Full(bytes),
            Self::Stream(parts, length) => ResponseBody::Stream(Box::pin(parts), length),
        }
    }
}

/// Moves a body to its connection, until either side ends.
async fn pump(mut stream: spindrift_web::ByteStream, mut to: mpsc::Sender<std::io::Result<Bytes>>) {
    while let Some(part) = stream.next().await {
        if to.send(part).await.is_err() {
            return;
        }
    }
}

fn refused_body(error: &BodyError) -> Reply {
    let mut reply = match error {
        BodyError::TooSlow => answer::failure(StatusCode::REQUEST_TIMEOUT, "the body arrives too slowly"),
        BodyError::Connection(_) => answer::failure(StatusCode::BAD_REQUEST, "the body could not be read"),
    };
    reply.response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    reply
}

fn outgoing(response: spindrift_web::Response, is_head: bool) -> Response<OutBody> {
    let (head, body) = response.into_parts();
    finish_response(head, body, is_head)
}

fn finish_response(mut head: ResponseHead, body: ResponseBody, is_head: bool) -> Response<OutBody> {
    // Not allowed with 204. With 304 it would be the length of a different answer.
    if !matches!(head.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        head.headers.insert(CONTENT_LENGTH, body.len().into());
    }
    let body = match body {
        ResponseBody::Full(bytes) => full_body(if is_head { Bytes::new() } else { bytes }),
        ResponseBody::Stream(..) if is_head => full_body(Bytes::new()),
        ResponseBody::Stream(stream, _) => {
            Box::pin(StreamBody::new(stream.map(|part| part.map(Frame::data))))
        }
    };
    Response::from_parts(head, body)
}

fn full_body(bytes: Bytes) -> OutBody {
    Box::pin(Full::new(bytes).map_err(|never| match never {}))
}

/// The answer with a text appended.
async fn with_addition(response: Response<OutBody>, addition: &str) -> Response<OutBody> {
    let (mut head, body) = response.into_parts();
    let Ok(whole) = body.collect().await else {
        return outgoing(
            answer::failure(StatusCode::INTERNAL_SERVER_ERROR, "internal error").response,
            false,
        );
    };
    let whole = Bytes::from([&whole.to_bytes(), addition.as_bytes()].concat());
    head.headers.insert(CONTENT_LENGTH, whole.len().into());
    Response::from_parts(head, full_body(whole))
}

#[cfg(test)]
mod tests;
