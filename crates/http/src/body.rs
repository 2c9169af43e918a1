//! Request bodies of slow clients, and of clients that are still sending when they are refused.
//!
//! If a connection is closed while the client is still sending, it is reset, and the client may lose the
//! answer. So while the answer is being sent, the rest of the body is read and dropped, up to a limit.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, header};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::limits::ConnectionLimits;

/// The reason why a request body ended early.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The connection failed.
    #[error(transparent)]
    Connection(#[from] hyper::Error),
    /// The body did not arrive at [`ConnectionLimits::body_rate`].
    #[error("the body arrives too slowly")]
    TooSlow,
}

/// A request body. It ends with an error if it arrives too slowly. When it is dropped, the rest is read to
/// the end or to the limits. Drop it inside a tokio runtime with a timer.
#[derive(Debug)]
pub struct RequestBody {
    /// `None` once the body has been read completely.
    incoming: Option<Incoming>,
    /// Whether the client sends the body only when asked to (`Expect`).
    is_held_back: bool,
    wait: ReaderWait,
    limits: ConnectionLimits,
}

/// The time that a reader has waited for bytes.
#[derive(Debug, Default)]
struct ReaderWait {
    received: u64,
    /// Total of the earlier waits.
    before: Duration,
    /// When the present wait began, and the timer that ends it.
    present: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl ReaderWait {
    /// Completes when the client has used up its time.
    fn poll(&mut self, limits: &ConnectionLimits, context: &mut Context<'_>) -> Poll<()> {
        let left = allowed_wait(limits, self.received).saturating_sub(self.before);
        let (_, end) = self.present.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        end.as_mut().poll(context)
    }

    fn end(&mut self, bytes: usize) {
        self.received += bytes as u64;
        if let Some((began, _)) = self.present.take() {
            self.before += began.elapsed();
        }
    }
}

/// How long a reader waits in total for a body of which this many bytes have arrived.
fn allowed_wait(limits: &ConnectionLimits, received: u64) -> Duration {
    limits.body_grace + Duration::from_millis(received.saturating_mul(1000) / limits.body_rate.max(1))
}

impl RequestBody {
    /// Wraps the body of a request.
    pub fn of(request: Request<Incoming>, limits: ConnectionLimits) -> Request<Self> {
        let is_held_back = request.headers().contains_key(header::EXPECT);
        request.map(|incoming| Self {
            incoming: Some(incoming),
            is_held_back,
            wait: ReaderWait::default(),
            limits,
        })
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        this.is_held_back = false;
        let Some(incoming) = &mut this.incoming else { return Poll::Ready(None) };
        let Poll::Ready(frame) = Pin::new(incoming).poll_frame(context) else {
            ready!(this.wait.poll(&this.limits, context));
            this.incoming = None;
            return Poll::Ready(Some(Err(BodyError::TooSlow)));
        };
        let bytes = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, Bytes::len);
        this.wait.end(bytes);
        if matches!(frame, None | Some(Err(_))) {
            this.incoming = None;
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

impl Drop for RequestBody {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_gets_more_time_as_it_arrives() {
        let limits = ConnectionLimits {
            body_grace: Duration::from_secs(10),
            body_rate: 1024,
            ..ConnectionLimits::default()
        };
        assert_eq!(allowed_wait(&limits, 0), Duration::from_secs(10));
        assert_eq!(allowed_wait(&limits, 130), Duration::from_millis(10_126));
        assert_eq!(allowed_wait(&limits, 1024 * 1024), Duration::from_secs(10 + 1024));
        let unlimited = ConnectionLimits { body_rate: 0, ..limits };
        assert_eq!(
            allowed_wait(&unlimited, 1),
            Duration::from_secs(11),
            "a rate of 0 is read as 1 byte a second"
        );
    }
}
