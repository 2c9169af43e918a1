//! Accepts connections, and stops in order.

use std::net::SocketAddr;
use std::time::Duration;

use http::{HeaderValue, Request, Response, header};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::error::HostError;
use crate::limits::Limits;
use crate::log::log_line;

/// Pause after a failed `accept`, for example when no file descriptors are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The tasks of one listener.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    stopping: CancellationToken,
    killed: CancellationToken,
}

impl Tasks {
    /// Runs `work` until it ends or is cancelled by [`Tasks::stop`]. `None`: it was cancelled.
    pub(crate) fn spawn<F>(&self, work: F) -> tokio::task::JoinHandle<Option<F::Output>>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let killed = self.killed.clone();
        self.tracker.spawn(async move { killed.run_until_cancelled(work).await })
    }

    /// Makes [`Tasks::stop`] wait until the token is dropped. Its owner ends by itself when `killed` does.
    pub(crate) fn token(&self) -> TaskTrackerToken {
        self.tracker.token()
    }

    /// Ends when [`Tasks::stop`] or [`Tasks::kill`] begins.
    pub(crate) fn stopping(&self) -> WaitForCancellationFutureOwned {
        self.stopping.clone().cancelled_owned()
    }

    /// Ends with [`Tasks::kill`], or when [`Tasks::stop`] has waited long enough.
    pub(crate) fn killed(&self) -> WaitForCancellationFutureOwned {
        self.killed.clone().cancelled_owned()
    }

    /// Whether all work has been cancelled.
    pub(crate) fn are_killed(&self) -> bool {
        self.killed.is_cancelled()
    }

    /// Refuses new work, waits for running work up to `limit`, and cancels the rest.
    pub(crate) async fn stop(&self, limit: Duration) {
        self.stopping.cancel();
        self.tracker.close();
        if tokio::time::timeout(limit, self.tracker.wait()).await.is_err() {
            self.kill();
            self.tracker.wait().await;
        }
    }

    /// Cancels everything at once.
    pub(crate) fn kill(&self) {
        self.stopping.cancel();
        self.killed.cancel();
    }
}

/// A local address with a listening socket. Clients that connect before it is served wait.
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
    /// `HostError::Listen` if the address is in use or does not belong to this machine.
    pub async fn bind(address: SocketAddr) -> Result<Self, HostError> {
        let refuse = |source| HostError::Listen { address, source };
        let inner = TcpListener::bind(address).await.map_err(refuse)?;
        let address = inner.local_addr().map_err(refuse)?;
        Ok(Self { inner, address, url: local_url(address) })
    }

    /// Takes over a socket that listens already. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// `HostError::Socket` if it cannot be used.
    pub fn from_socket(socket: std::net::TcpListener) -> Result<Self, HostError> {
        socket.set_nonblocking(true).map_err(HostError::Socket)?;
        let inner = TcpListener::from_std(socket).map_err(HostError::Socket)?;
        let address = inner.local_addr().map_err(HostError::Socket)?;
        Ok(Self { inner, address, url: local_url(address) })
    }

    /// The base URL on this machine, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The base URL of a listening address for programs on this machine, without a trailing slash.
pub fn local_url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        format!("http://127.0.0.1:{}", address.port())
    } else {
        format!("http://{address}")
    }
}

/// Serves every connection. `make` returns the service for a client's address.
pub(crate) fn serve<S, B>(
    listener: Listener,
    tasks: &Tasks,
    limits: Limits,
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
                    tasks.spawn(connection(stream, make(client), tasks.stopping.clone(), limits));
                }
                Err(error) => {
                    log_line(&format!("accepting a connection failed: {error}"));
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    };
    tasks.spawn(accept);
}

async fn connection<S, B>(stream: TcpStream, service: S, stopping: CancellationToken, limits: Limits)
where
    S: hyper::service::Service<Request<Incoming>, Response = Response<B>> + Send,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // Sends small answers at once, without waiting for the client's acknowledgement.
    let _ = stream.set_nodelay(true);
    let asked = CancellationToken::new();
    let (first, is_stopping) = (asked.clone(), stopping.clone());
    let service = service_fn(move |request| {
        first.cancel();
        let (answer, is_stopping) = (service.call(request), is_stopping.clone());
        async move {
            let mut answer = answer.await?;
            // Hyper may send this answer before it is told to end below, and the client must not send another request.
            if is_stopping.is_cancelled() {
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok::<_, S::Error>(answer)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request_head_timeout)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // Errors of the connection are ignored: they concern the client. Failures of requests are logged elsewhere.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stopping.cancelled() => {}
    }
    // Told to end, hyper closes a connection on which nothing has arrived, although a request may be on its way.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = tokio::time::timeout(limits.stop_first_request, asked.cancelled()) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
