//! Accepting connections and stopping in good order.

use std::net::SocketAddr;
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::HttpService;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::HostError;

/// How long to wait after a failed `accept`, for instance when there are no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The tasks of one listener, and how to end them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    stopping: CancellationToken,
    killed: CancellationToken,
}

impl Tasks {
    /// Runs `work` until it ends by itself or is ended by [`Tasks::stop`]; `None` in the latter case.
    pub(crate) fn spawn<F>(&self, work: F) -> tokio::task::JoinHandle<Option<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let killed = self.killed.clone();
        self.tracker.spawn(async move { killed.run_until_cancelled(work).await })
    }

    /// Refuses new work, waits for running work up to `limit`, and ends what is left.
    pub(crate) async fn stop(&self, limit: Duration) {
        self.stopping.cancel();
        self.tracker.close();
        if tokio::time::timeout(limit, self.tracker.wait()).await.is_err() {
            self.kill();
            self.tracker.wait().await;
        }
    }

    /// Ends everything at once.
    pub(crate) fn kill(&self) {
        self.stopping.cancel();
        self.killed.cancel();
    }
}

/// A local address that is listened on. Clients that connect before something is served there wait.
#[derive(Debug)]
pub struct Listener {
    inner: TcpListener,
    address: SocketAddr,
    url: String,
}

impl Listener {
    /// Listens on `address`; port 0 picks a free one. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// `HostError::Listen` for an address that is taken or not this machine's.
    pub async fn bind(address: SocketAddr) -> Result<Self, HostError> {
        let refuse = |source| HostError::Listen { address, source };
        let inner = TcpListener::bind(address).await.map_err(refuse)?;
        let address = inner.local_addr().map_err(refuse)?;
        let url = if address.ip().is_unspecified() {
            format!("http://127.0.0.1:{}", address.port())
        } else {
            format!("http://{address}")
        };
        Ok(Self { inner, address, url })
    }

    /// Its base URL on this machine, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Its address, with the real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Serves every connection with the service that `make` returns for the client's address.
pub(crate) fn serve<S, B>(
    listener: Listener,
    tasks: &Tasks,
    head_timeout: Duration,
    make: impl Fn(SocketAddr) -> S + Send + 'static,
) where
    S: HttpService<Incoming, ResBody = B>
        + hyper::service::Service<Request<Incoming>, Response = Response<B>>
        + Send
        + 'static,
    <S as HttpService<Incoming>>::Future: Send,
    <S as hyper::service::Service<Request<Incoming>>>::Future: Send,
    <S as hyper::service::Service<Request<Incoming>>>::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let tasks_of_connections = tasks.clone();
    let accept = async move {
        let tasks = tasks_of_connections;
        while let Some(accepted) = tasks.stopping.run_until_cancelled(listener.inner.accept()).await {
            match accepted {
                Ok((stream, client)) => {
                    tasks.spawn(connection(stream, make(client), tasks.stopping.clone(), head_timeout));
                }
                Err(error) => {
                    eprintln!("accepting a connection failed: {error}");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    tasks.spawn(accept);
}

async fn connection<S, B>(stream: TcpStream, service: S, stopping: CancellationToken, head_timeout: Duration)
where
    S: hyper::service::Service<Request<Incoming>, Response = Response<B>> + Send,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // Small answers leave at once instead of waiting for the client's acknowledgement.
    let _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head_timeout)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // How a connection ended is the client's business; failures of requests are reported where they happen.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stopping.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
