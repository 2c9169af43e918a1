//! Ends request bodies that stop arriving, and reads the rest of those that were not read completely.
//!
//! If a connection is closed while the client is still sending, it is reset, and the client may lose the answer. So
//! while the answer is being sent, the rest of the body is read and dropped, up to a limit.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::{Sleep, sleep, timeout};

use crate::limits::Limits;

/// The reason why a request body ended early.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection failed.
    #[error(transparent)]
    Connection(#[from] hyper::Error),
    /// Nothing arrived for [`Limits::body_wait`].
    #[error("the body stopped arriving")]
    Stopped,
}

impl From<BodyError> for wasmtime_wasi_http::Error {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Connection(error) => error.into(),
            BodyError::Stopped => Self::ConnectionReadTimeout,
        }
    }
}

/// A request body. It ends with an error if it stops arriving for [`Limits::body_wait`]. When it is dropped, the rest is
/// read to the end or to the limits. Drop it inside a tokio runtime with a timer.
#[derive(Debug)]
pub struct Drained {
    /// `None`: the body was read completely.
    incoming: Option<Incoming>,
    /// The client sends the body only after it is requested (`Expect`).
    is_held_back: bool,
    /// Runs while the reader waits for more.
    wait: Option<Pin<Box<Sleep>>>,
    limits: Limits,
}

impl Drained {
    /// Wraps the body of a request. Uses [`Limits::drain_bytes`] and [`Limits::drain_time`].
    pub fn request(request: Request<Incoming>, limits: Limits) -> Request<Self> {
        let is_held_back = request.headers().contains_key(header::EXPECT);
        request.map(|incoming| Self { incoming: Some(incoming), is_held_back, wait: None, limits })
    }
}

impl Body for Drained {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.is_held_back = false;
        let Some(incoming) = &mut self.incoming else { return Poll::Ready(None) };
        let Poll::Ready(frame) = Pin::new(incoming).poll_frame(context) else {
            let limit = self.limits.body_wait;
            let wait = self.wait.get_or_insert_with(|| Box::pin(sleep(limit)));
            ready!(wait.as_mut().poll(context));
            self.incoming = None;
            return Poll::Ready(Some(Err(BodyError::Stopped)));
        };
        self.wait = None;
        if matches!(frame, None | Some(Err(_))) {
            self.incoming = None;
        }
        Poll::Ready(frame.map(|frame| frame.map_err(BodyError::from)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Drained {
    fn drop(&mut self) {
        let rest = self.incoming.take().filter(|rest| !rest.is_end_stream() && !self.is_held_back);
        if let (Some(rest), Ok(runtime)) = (rest, tokio::runtime::Handle::try_current()) {
            runtime.spawn(timeout(self.limits.drain_time, drain(rest, self.limits.drain_bytes)));
        }
    }
}

async fn drain(mut rest: Incoming, limit: usize) {
    let mut read = 0;
    while read < limit {
        match rest.frame().await {
            Some(Ok(frame)) => read += frame.data_ref().map_or(0, Bytes::len),
            Some(Err(_)) | None => return,
        }
    }
}
