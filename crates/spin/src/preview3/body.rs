//! Bodies of requests and responses.

use bytes::Bytes;
use futures::StreamExt as _;
use spindrift_web::{ByteStream, ResponseBody};
use wasip3::http::types::{ErrorCode, Trailers};
use wasip3::wit_bindgen::{FutureReader, StreamReader, StreamResult};
use wasip3::{wit_future, wit_stream};

/// Maximum number of bytes that are read at once.
const CHUNK_BYTES: usize = 64 * 1024;

/// The chunks of an arriving body.
pub(super) fn read(
    body: StreamReader<u8>,
    end: FutureReader<Result<Option<Trailers>, ErrorCode>>,
) -> ByteStream {
    Box::pin(futures::stream::unfold(Some((body, end)), next))
}

type UnreadBody = Option<(StreamReader<u8>, FutureReader<Result<Option<Trailers>, ErrorCode>>)>;

async fn next(rest: UnreadBody) -> Option<(std::io::Result<Bytes>, UnreadBody)> {
    let (mut body, end) = rest?;
    let (status, bytes) = body.read(Vec::with_capacity(CHUNK_BYTES)).await;
    match status {
        StreamResult::Complete(_) => Some((Ok(Bytes::from(bytes)), Some((body, end)))),
        // The trailers show whether the body was complete.
        StreamResult::Dropped | StreamResult::Cancelled => match end.await {
            Ok(_) => None,
            Err(error) => Some((Err(std::io::Error::other(format!("{error:?}"))), None)),
        },
    }
}

/// A stream to which `body` is written once it is read. `None` if there is nothing to write.
pub(super) fn write(body: ResponseBody) -> Option<StreamReader<u8>> {
    if matches!(&body, ResponseBody::Full(bytes) if bytes.is_empty()) {
        return None;
    }
    let (mut sink, stream) = wit_stream::new();
    wit_bindgen::spawn(async move {
        match body {
            ResponseBody::Full(bytes) => {
                // A reader that has gone away is not an error.
                let _unread = sink.write_all(bytes.into()).await;
            }
            ResponseBody::Stream(mut chunks, _) => {
                // The declared length tells the reader that a body that ends early is incomplete.
                while let Some(Ok(chunk)) = chunks.next().await {
                    if !sink.write_all(chunk.into()).await.is_empty() {
                        return;
                    }
                }
            }
        }
    });
    Some(stream)
}

/// The trailers of a body without trailers.
pub(super) fn no_trailers() -> FutureReader<Result<Option<Trailers>, ErrorCode>> {
    wit_future::new(|| Ok(None)).1
}

/// The report about a body that this side reads: no error.
pub(super) fn no_error() -> FutureReader<Result<(), ErrorCode>> {
    wit_future::new(|| Ok(())).1
}
