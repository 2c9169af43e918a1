//! The HTTP client that this crate requires.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;

/// A body that arrives in chunks. Not `Send`: a component runs on one thread.
pub type ByteStream = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>>>>;

/// The reasons why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// No connection, a broken connection, or a time-out.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The platform refused the request: the host is not among the allowed outbound hosts.
    #[error("the request was denied by the platform")]
    Denied,
}

/// An HTTP client that follows no redirects.
pub trait HttpSend {
    /// Sends `request`. Sets `content-length` from its body (even if it is 0), unless the method is GET or
    /// HEAD. `time_out` limits each of: connecting, waiting for the first byte, and waiting between two
    /// bytes.
    fn send(
        &self,
        request: http::Request<Bytes>,
        time_out: Duration,
    ) -> impl Future<Output = Result<http::Response<ByteStream>, SendError>>;
}
