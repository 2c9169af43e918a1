//! The components as libraries behind a small HTTP server. Each connection has a thread, because a component's future
//! stays on one thread and the native adapters block it.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use embedded_host::{Drained, Limits};
use futures::{StreamExt as _, TryStreamExt as _};
use http::header::CONTENT_LENGTH;
use http::{Method, StatusCode};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::Frame;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use spindrift_native::{Grants, NativePlatform, Use};
use spindrift_web::{Body, ByteStream, Reply, Request, Routes};
use tokio::task::LocalSet;

use crate::manifest::Manifest;

type OutBody = Pin<Box<dyn hyper::body::Body<Data = Bytes, Error = std::io::Error>>>;

/// A running server. Dropping it stops it; open connections end when their clients close them.
pub(crate) struct Server {
    address: SocketAddr,
    platform: NativePlatform,
    granted: BTreeSet<Use>,
    stopping: Arc<AtomicBool>,
}

/// The manifest and the grants of the components that answer requests.
struct Application {
    platform: NativePlatform,
    manifest: Manifest,
    grants: BTreeMap<String, Arc<Grants>>,
}

/// A server that listens but does not answer yet, so that its URL can become a setting.
pub(crate) struct Bound(TcpListener);

impl Bound {
    pub(crate) fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("a free port"))
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().expect("an address"))
    }

    /// `granted`: the grants of the components. A component that uses anything else fails the test.
    pub(crate) fn serve(
        self,
        platform: NativePlatform,
        manifest: Manifest,
        granted: BTreeSet<Use>,
    ) -> Server {
        let address = self.0.local_addr().expect("an address");
        let stopping = Arc::new(AtomicBool::new(false));
        let server = Server { address, platform: platform.clone(), granted, stopping: stopping.clone() };
        let application = Arc::new(Application { platform, grants: manifest.grants(), manifest });
        std::thread::spawn(move || {
            for stream in self.0.incoming() {
                if stopping.load(Ordering::SeqCst) {
                    return;
                }
                let application = application.clone();
                if let Ok(stream) = stream {
                    std::thread::spawn(move || connection(stream, &application));
                }
            }
        });
        server
    }
}

impl Server {
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn platform(&self) -> &NativePlatform {
        &self.platform
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
        let uses = self.platform.uses();
        let others: Vec<_> = uses.difference(&self.granted).collect();
        assert!(
            std::thread::panicking() || others.is_empty(),
            "components ask for {others:?} and are not granted it"
        );
    }
}

fn connection(stream: TcpStream, application: &Arc<Application>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let local = LocalSet::new();
    local.block_on(&runtime, async {
        let _ = stream.set_nodelay(true);
        stream.set_nonblocking(true).expect("a non-blocking socket");
        let peer = stream.peer_addr().map(|address| address.to_string()).unwrap_or_default();
        let stream = tokio::net::TcpStream::from_std(stream).expect("a socket");
        let service = service_fn(|mut request| {
            tell_peer(&mut request, &peer);
            async {
                let request = Drained::request(request, Limits::default());
                Ok::<_, Infallible>(Box::pin(answer(application.clone(), request)).await)
            }
        });
        // Errors of the connection are ignored: the client sees them.
        let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    });
    // Runs the work of components after their answers.
    runtime.block_on(local);
}

/// Adds the client's address after any headers of the same name from the client, as Spin does.
fn tell_peer(request: &mut http::Request<hyper::body::Incoming>, peer: &str) {
    if let Ok(peer) = peer.parse() {
        request.headers_mut().append("spin-client-addr", peer);
    }
}

async fn answer(application: Arc<Application>, request: http::Request<Drained>) -> http::Response<OutBody> {
    let head = *request.method() == Method::HEAD;
    let component = application.manifest.component(request.uri().path()).expect("a route for every path");
    let platform = application.platform.granting(application.grants[component].clone());
    let (parts, body) = request.into_parts();
    let body: ByteStream = Box::pin(body.into_data_stream().map_err(std::io::Error::other));
    let reply = dispatch(component, platform, Request::new(parts, body)).await;
    if let Some(after) = reply.after {
        tokio::task::spawn_local(after);
    }
    let (mut parts, body) = reply.response.into_parts();
    if !matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        parts.headers.insert(CONTENT_LENGTH, body.len().into());
    }
    http::Response::from_parts(parts, if head { full(Bytes::new()) } else { outgoing(body) })
}

fn full(bytes: Bytes) -> OutBody {
    Box::pin(Full::new(bytes).map_err(|never| match never {}))
}

fn outgoing(body: Body) -> OutBody {
    match body {
        Body::Full(bytes) => full(bytes),
        Body::Stream(stream, _) => Box::pin(StreamBody::new(stream.map(|chunk| chunk.map(Frame::data)))),
    }
}

async fn dispatch(component: &str, ports: NativePlatform, request: Request) -> Reply {
    match component {
        "accounts" => component_accounts::handle(ports, request).await,
        "catalog" => component_catalog::handle(ports, request).await,
        "check" => component_check::handle(ports, request).await,
        "control" => component_control::handle(ports, request).await,
        "docs" => component_docs::handle(ports, request).await,
        "download" => component_download::handle(ports, request).await,
        "edge" => component_edge::handle(ports, request).await,
        "feeds" => component_feeds::handle(ports, request).await,
        "health" => component_health::handle(ports, request).await,
        "latest" => component_latest::handle(ports, request).await,
        "maintenance" => component_maintenance::handle(ports, request).await,
        "metrics" => component_metrics::handle(ports, request).await,
        "releases" => component_releases::handle(ports, request).await,
        "reports" => component_reports::handle(ports, request).await,
        "telemetry" => component_telemetry::handle(ports, request).await,
        "tuf" => component_tuf::handle(ports, request).await,
        "upload" => component_upload::handle(ports, request).await,
        other => panic!("spin.toml names the component `{other}`, which the in-process driver does not know"),
    }
}

/// One route of a component.
#[derive(Debug, Clone)]
pub struct Route {
    /// The component's name in `spin.toml`.
    pub component: &'static str,
    /// The method.
    pub method: Method,
    /// A path that matches the route.
    pub path: String,
}

/// The routes of all components.
pub fn routes() -> Vec<Route> {
    let mut all = Vec::new();
    add("accounts", &component_accounts::ROUTES, &mut all);
    add("catalog", &component_catalog::ROUTES, &mut all);
    add("check", &component_check::ROUTES, &mut all);
    add("control", &component_control::ROUTES, &mut all);
    add("docs", &component_docs::ROUTES, &mut all);
    add("download", &component_download::ROUTES, &mut all);
    add("edge", &component_edge::ROUTES, &mut all);
    add("feeds", &component_feeds::ROUTES, &mut all);
    add("health", &component_health::ROUTES, &mut all);
    add("latest", &component_latest::ROUTES, &mut all);
    add("maintenance", &component_maintenance::ROUTES, &mut all);
    add("metrics", &component_metrics::ROUTES, &mut all);
    add("releases", &component_releases::ROUTES, &mut all);
    add("reports", &component_reports::ROUTES, &mut all);
    add("telemetry", &component_telemetry::ROUTES, &mut all);
    add("tuf", &component_tuf::ROUTES, &mut all);
    add("upload", &component_upload::ROUTES, &mut all);
    all
}

fn add<R>(component: &'static str, routes: &Routes<R>, all: &mut Vec<Route>) {
    all.extend(routes.0.iter().map(|(method, pattern, _)| Route {
        component,
        method: method.clone(),
        path: pattern.replace(['{', '}'], ""),
    }));
}
