//! The transport for requests. The library's rules do not depend on it.

use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt as _};
use http::{Request, Response};

/// The body of an answer, as it arrives.
pub type Body = BoxStream<'static, Result<Bytes, TransportError>>;

/// The request got no answer, or the answer broke off.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The timeout expired.
    #[error("no answer in time")]
    TimedOut,
    /// Any other failure: unknown host, connection refused, bad certificate, connection lost. The text must
    /// not contain the URL, because a query may hold a secret.
    #[error("connection failed: {0}")]
    Failed(String),
}

/// An HTTP client.
///
/// Every status is an answer, not an error. A transport must not follow redirects, repeat requests or decode
/// bodies. The library does that itself where needed, so that no header reaches the wrong host.
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
    /// Sends a request to its absolute `http` or `https` URL.
    ///
    /// `time_out` covers the whole exchange, including the body. It is `None` for downloads, which may take
    /// hours; a transport should then give up if no data arrives for a while.
    fn send(
        &self,
        request: Request<Bytes>,
        time_out: Option<Duration>,
    ) -> BoxFuture<'_, Result<Response<Body>, TransportError>>;
}

/// A body that is already in memory.
pub fn body(bytes: impl Into<Bytes>) -> Body {
    let bytes = bytes.into();
    stream::once(async { Ok(bytes) }).boxed()
}
