//! The body of a response, which returns its connection for reuse at the end.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Authority;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use tokio::time::{Instant, Sleep};
use wasmtime_wasi_http::{Error, WasiBody};

use crate::connections::Connections;

type Connection = (Arc<Connections>, Authority, SendRequest<WasiBody>);

pub(super) struct PooledBody {
    incoming: Incoming,
    limit: Duration,
    deadline: Pin<Box<Sleep>>,
    ended: bool,
    connection: Option<Connection>,
}

impl PooledBody {
    /// `limit` is the maximum pause between two frames.
    pub(super) fn new(incoming: Incoming, limit: Duration, connection: Connection) -> Self {
        let deadline = Box::pin(tokio::time::sleep(limit));
        Self { incoming, limit, deadline, ended: false, connection: Some(connection) }
    }
}

impl Body for PooledBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        match Pin::new(&mut self.incoming).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let next = Instant::now() + self.limit;
                self.deadline.as_mut().reset(next);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => {
                self.ended = true;
                Poll::Ready(None)
            }
            Poll::Pending => {
                ready!(self.deadline.as_mut().poll(context));
                Poll::Ready(Some(Err(Error::ConnectionReadTimeout)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}

impl Drop for PooledBody {
    fn drop(&mut self) {
        if let Some((connections, authority, sender)) = self.connection.take()
            && (self.ended || self.incoming.is_end_stream())
        {
            connections.put(authority, sender);
        }
    }
}
