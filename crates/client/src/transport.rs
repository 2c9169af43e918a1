//! What carries requests. The library's rules do not depend on it.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::{Request, Response};

/// The body of an answer, as it arrives.
pub type Body = BoxStream<'static, Result<Bytes, TransportError>>;

/// A request that brought no answer, or an answer that broke off.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The time was up.
    #[error("no answer in time")]
    TimedOut,
    /// Anything else: no such host, connection refused, bad certificate, connection lost. The text must hold no
    /// address, because a query may hold a secret.
    #[error("connection failed: {0}")]
    Failed(String),
}

/// An HTTP client.
///
/// Every status is an answer, not an error. A transport must not follow redirects, repeat requests or decode bodies:
/// the library does so itself where it is right, so that no header gets to a host that it is not meant for.
///
/// ```
/// use bytes::Bytes;
/// use futures::future::BoxFuture;
/// use spindrift_client::{Body, Transport, TransportError, body};
///
/// /// Answers everything with 404.
/// struct Nowhere;
///
/// impl Transport for Nowhere {
///     fn send(
///         &self,
///         _request: http::Request<Bytes>,
///         _time_out: Option<std::time::Duration>,
///     ) -> BoxFuture<'_, Result<http::Response<Body>, TransportError>> {
///         Box::pin(async {
///             let mut answer = http::Response::new(body("not found"));
///             *answer.status_mut() = http::StatusCode::NOT_FOUND;
///             Ok(answer)
///         })
///     }
/// }
/// ```
pub trait Transport: Send + Sync + 'static {
    /// Sends a request to its absolute `http` or `https` address.
    ///
    /// `time_out` bounds the whole exchange, body included. `None` is for downloads, which may take hours: then a
    /// transport should give up when nothing comes for a while.
    fn send(
        &self,
        request: Request<Bytes>,
        time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>>;
}

/// A body that is already there.
pub fn body(bytes: impl Into<Bytes>) -> Body {
    let bytes = bytes.into();
    stream::once(async { Ok(bytes) }).boxed()
}
