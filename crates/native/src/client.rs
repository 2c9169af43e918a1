//! The HTTP client: one for the process, on threads of its own, so that no request has to wait while the
//! thread of another one computes.

use std::io;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures::SinkExt as _;
use futures::channel::mpsc::{self, Sender};
use http::{HeaderValue, Method, Request, Response, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use spindrift_storage::{ByteStream, SendError};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// How long a connection stays open for the next request. Shorter than the usual time limit of servers.
const IDLE_TIME: Duration = Duration::from_secs(15);
/// Maximum number of idle connections to one server.
const MAX_IDLE: usize = 16;
/// Number of chunks of a body that may wait for their reader.
const CHUNKS: usize = 4;

type HttpClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

struct SharedClient {
    runtime: Runtime,
    client: HttpClient,
}

/// The client, created on first use.
fn shared() -> Result<&'static SharedClient, SendError> {
    static SHARED: OnceLock<Result<SharedClient, String>> = OnceLock::new();
    let shared = SHARED.get_or_init(|| make_client().map_err(|error| error.to_string()));
    shared.as_ref().map_err(|error| SendError::Unreachable(error.clone()))
}

/// Follows no redirects, uses no proxy, and returns error statuses as answers.
fn make_client() -> io::Result<SharedClient> {
    let runtime =
        Builder::new_multi_thread().worker_threads(1).thread_name("outgoing").enable_all().build()?;
    let mut http = HttpConnector::new();
    http.set_nodelay(true);
    http.enforce_http(false);
    let https = HttpsConnectorBuilder::new().with_tls_config(tls().map_err(io::Error::other)?);
    let connector = https.https_or_http().enable_http1().wrap_connector(http);
    let client = Client::builder(TokioExecutor::new())
        .pool_idle_timeout(IDLE_TIME)
        .pool_max_idle_per_host(MAX_IDLE)
        .pool_timer(TokioTimer::new())
        .build(connector);
    Ok(SharedClient { runtime, client })
}

/// Trusts the certificates of the system, so that those added by its administrators count. Without any, only
/// http works.
fn tls() -> Result<ClientConfig, rustls::Error> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// Sends a request. `time_out` limits the wait for the head of the answer, and between two parts of its body.
pub(crate) async fn send(
    mut request: Request<Bytes>,
    time_out: Duration,
) -> Result<Response<ByteStream>, SendError> {
    let shared = shared()?;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let length = HeaderValue::from(request.body().len());
        request.headers_mut().insert(header::CONTENT_LENGTH, length);
    }
    let answer = shared.client.request(request.map(Full::new));
    // The timer is that of the runtime that waits for the answer.
    let answer = shared.runtime.spawn(async move { timeout(time_out, answer).await }).await;
    let unreachable = |error: &dyn std::fmt::Display| SendError::Unreachable(error.to_string());
    let answer = answer.map_err(|error| unreachable(&error))?;
    let answer = answer.map_err(|_| unreachable(&format!("no answer within {time_out:?}")))?;
    let (head, body) = answer.map_err(|error| unreachable(&with_causes(&error)))?.into_parts();
    let (sender, receiver) = mpsc::channel(CHUNKS);
    shared.runtime.spawn(pump(body, sender, time_out));
    Ok(Response::from_parts(head, Box::pin(receiver)))
}

/// Moves a body to its reader, until either side ends.
async fn pump(mut body: Incoming, mut to: Sender<io::Result<Bytes>>, time_out: Duration) {
    loop {
        let chunk = match timeout(time_out, body.frame()).await {
            Ok(None) => return,
            Ok(Some(Ok(frame))) => Ok(frame.into_data().unwrap_or_default()),
            Ok(Some(Err(error))) => Err(io::Error::other(error)),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the answer stopped arriving")),
        };
        let is_over = chunk.is_err();
        if to.send(chunk).await.is_err() || is_over {
            return;
        }
    }
}

/// The error with all its causes, because the first text alone only says that a request failed.
fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
