//! What this crate needs from an HTTP client.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;

/// A body that arrives in chunks. Not `Send`: a component runs on one thread.
pub type ByteStream = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>>>>;

/// Why no answer came.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// No connection, a broken one, or a time-out.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The platform refused the request: the host is not among the allowed outbound hosts.
    #[error("the request was denied by the platform")]
    Denied,
}

/// An HTTP client that follows no redirects.
pub trait HttpSend {
    /// Sends `request`, with `content-length` set from its body (also 0) unless the method is GET or HEAD.
    /// `time_out` bounds the connection, the first byte and the pause between two bytes, each.
    fn send(
        &self,
        request: http::Request<Bytes>,
        time_out: Duration,
    ) -> impl Future<Output = Result<http::Response<ByteStream>, SendError>>;
}
