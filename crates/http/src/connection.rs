//! Accepts connections and answers their requests.

use std::net::SocketAddr;
use std::time::Duration;

use http::{HeaderValue, Request, Response, header};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::limits::ConnectionLimits;
use crate::listener::Listener;
use crate::log::log_line;
use crate::tasks::Tasks;

/// Pause after a failed `accept`, for example when no file descriptors are left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves every connection. `make` returns the service for a client's address.
pub fn serve<S, B>(
    listener: Listener,
    tasks: &Tasks,
    limits: ConnectionLimits,
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
        while let Some(accepted) = tasks.stop_token().run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, client)) => {
                    tasks.spawn(connection(stream, make(client), tasks.stop_token(), limits));
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

/// Answers the requests of one connection, until its client closes it or `stopping` is cancelled.
pub async fn connection<S, B>(
    stream: TcpStream,
    service: S,
    stopping: CancellationToken,
    limits: ConnectionLimits,
) where
    S: hyper::service::Service<Request<Incoming>, Response = Response<B>>,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    B: Body + 'static,
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
            // Hyper may send this answer before it is asked to shut down below, and the client must not send
            // another request.
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
    // Errors of the connection are ignored: they concern the client. Failures of requests are logged
    // elsewhere.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stopping.cancelled() => {}
    }
    // When asked to shut down, hyper closes a connection on which nothing has arrived yet, although a request
    // may be on its way.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = tokio::time::timeout(limits.stop_first_request, asked.cancelled()) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}
