//! An HTTP/1.1 client that keeps connections open between requests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::uri::{Authority, PathAndQuery, Uri};
use http::{Request, Response};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

use super::pooled_body::PooledBody;

/// Each of the three time-outs when the component sets none, as in Spin.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(10);

/// How long an unused connection is kept; below what servers usually keep.
const IDLE_TIME: Duration = Duration::from_secs(15);

/// Unused connections kept per authority.
const MAX_IDLE: usize = 16;

/// The connections of one host.
#[derive(Default)]
pub(crate) struct Client {
    idle: Mutex<HashMap<Authority, Vec<Idle>>>,
}

struct Idle {
    sender: SendRequest<WasiBody>,
    since: Instant,
}

impl Client {
    /// Sends a plain `http` request. Redirects come back as they are.
    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<WasiBody>,
        options: RequestOptions,
    ) -> Result<Response<WasiBody>, Error> {
        let connect_timeout = options.connect_timeout.unwrap_or(DEFAULT_TIMEOUT);
        let first_byte_timeout = options.first_byte_timeout.unwrap_or(DEFAULT_TIMEOUT);
        let between_bytes_timeout = options.between_bytes_timeout.unwrap_or(DEFAULT_TIMEOUT);
        let authority = request.uri().authority().cloned().ok_or(Error::HttpRequestUriInvalid)?;
        *request.uri_mut() = origin_form(request.uri());

        loop {
            let (mut sender, reused) = match self.take(&authority).await {
                Some(sender) => (sender, true),
                None => (connect(&authority, connect_timeout).await?, false),
            };
            let answer = timeout(first_byte_timeout, sender.try_send_request(request))
                .await
                .map_err(|_| Error::ConnectionReadTimeout)?;
            match answer {
                Ok(response) => {
                    let wrap = |body: Incoming| {
                        PooledBody::new(
                            body,
                            between_bytes_timeout,
                            (self.clone(), authority.clone(), sender),
                        )
                        .boxed_unsync()
                    };
                    return Ok(response.map(wrap));
                }
                Err(mut error) => match error.take_message() {
                    // The server had closed the kept connection; nothing was sent on it.
                    Some(unsent) if reused => request = unsent,
                    _ => return Err(Error::from(error.into_error())),
                },
            }
        }
    }

    async fn take(&self, authority: &Authority) -> Option<SendRequest<WasiBody>> {
        loop {
            let idle = {
                let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                all.get_mut(authority)?.pop()?
            };
            let mut sender = idle.sender;
            if idle.since.elapsed() < IDLE_TIME && !sender.is_closed() && sender.ready().await.is_ok() {
                return Some(sender);
            }
        }
    }

    /// Keeps a connection whose response was read to its end.
    pub(super) fn put(&self, authority: Authority, sender: SendRequest<WasiBody>) {
        if sender.is_closed() {
            return;
        }
        let mut all = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = all.entry(authority).or_default();
        idle.retain(|idle| idle.since.elapsed() < IDLE_TIME);
        if idle.len() < MAX_IDLE {
            idle.push(Idle { sender, since: Instant::now() });
        }
    }
}

async fn connect(authority: &Authority, limit: Duration) -> Result<SendRequest<WasiBody>, Error> {
    let port = authority.port_u16().unwrap_or(80);
    let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
    let connect = async {
        let stream = TcpStream::connect((host, port)).await.map_err(Error::Connect)?;
        stream.set_nodelay(true).map_err(Error::Connect)?;
        http1::handshake(TokioIo::new(stream)).await.map_err(Error::from)
    };
    let (sender, connection) = timeout(limit, connect).await.map_err(|_| Error::ConnectionTimeout)??;
    // Ends when the sender is dropped or the server closes; its error is reported to the request that is under way.
    tokio::spawn(connection);
    Ok(sender)
}

fn origin_form(uri: &Uri) -> Uri {
    Uri::from(uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")))
}
