//! Request bodies that nobody reads to their end.
//!
//! A connection that is closed while bytes of the client are still arriving is reset, and the client may lose the answer
//! that says why. So what is left of a body is read and dropped, up to a limit, while the answer is on its way.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::limits::Limits;

/// A request's body that is read to its end, or to the limits, when it is dropped. To be dropped inside a tokio runtime with
/// time.
#[derive(Debug)]
pub struct Drained {
    /// `None`: there is nothing left to read.
    incoming: Option<Incoming>,
    /// The client waits with the body until it is asked for.
    is_held_back: bool,
    limits: Limits,
}

impl Drained {
    /// The request with its body wrapped. [`Limits::drain_bytes`] and [`Limits::drain_time`] count.
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
