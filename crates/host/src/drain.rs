//! Reads the rest of request bodies that were not read completely.
//!
//! If a connection is closed while the client is still sending, it is reset, and the client may lose the answer. So
//! while the answer is being sent, the rest of the body is read and dropped, up to a limit.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::limits::Limits;

/// A request body. When it is dropped, the rest is read to the end or to the limits. Drop it inside a tokio runtime
/// with a timer.
#[derive(Debug)]
pub struct Drained {
    /// `None`: the body was read completely.
    incoming: Option<Incoming>,
    /// The client sends the body only after it is requested (`Expect`).
    is_held_back: bool,
    limits: Limits,
}

impl Drained {
    /// Wraps the body of a request. Uses [`Limits::drain_bytes`] and [`Limits::drain_time`].
    pub fn request(request: Request<Incoming>, limits: Limits) -> Request<Self> {
        let is_held_back = request.headers().contains_key(header::EXPECT);
        request.map(|incoming| Self { incoming: Some(incoming), is_held_back, limits })
    }
}

impl Body for Drained {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        self.is_held_back = false;
        let Some(incoming) = &mut self.incoming else { return Poll::Ready(None) };
        let polled = Pin::new(incoming).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.incoming = None;
        }
        polled
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
