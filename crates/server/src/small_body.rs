//! Small request bodies, which are read before the request takes a permit.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use http::{HeaderMap, header};
use http_body::Body as _;
use http_body_util::BodyExt as _;
use spindrift_http::{BodyError, RequestBody};
use spindrift_storage::ByteStream;
use tokio::time::timeout;

/// A body, as far as it has arrived.
pub(crate) enum ReceivedBody {
    /// The whole body.
    Whole(Bytes),
    /// A body that is not small: its beginning, and the rest.
    Large(Bytes, RequestBody),
}

/// Reads a body of up to `limit` bytes. Of a larger one, reads only as much as it takes to notice.
///
/// # Errors
/// The body does not arrive within `time`, or the connection fails.
pub(crate) async fn read(
    headers: &HeaderMap,
    mut body: RequestBody,
    limit: usize,
    time: Duration,
) -> Result<ReceivedBody, BodyError> {
    if body.is_end_stream() {
        return Ok(ReceivedBody::Whole(Bytes::new()));
    }
    // Without a declared length, a client that waits to be asked for the body (`Expect`) would be asked too
    // early.
    let length =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if length.map_or_else(|| headers.contains_key(header::EXPECT), |length| length > limit) {
        return Ok(ReceivedBody::Large(Bytes::new(), body));
    }
    let mut whole = BytesMut::new();
    let reading = async {
        while whole.len() <= limit {
            match body.frame().await {
                None => return Ok(true),
                Some(frame) => whole.extend_from_slice(frame?.data_ref().unwrap_or(&Bytes::new())),
            }
        }
        Ok(false)
    };
    let is_whole: Result<bool, BodyError> = timeout(time, reading).await.map_err(|_| BodyError::TooSlow)?;
    let whole_or_begin = whole.freeze();
    Ok(if is_whole? {
        ReceivedBody::Whole(whole_or_begin)
    } else {
        ReceivedBody::Large(whole_or_begin, body)
    })
}

impl ReceivedBody {
    /// The body as components read it.
    pub(crate) fn into_stream(self) -> ByteStream {
        let once = |bytes: Bytes| stream::once(std::future::ready(Ok(bytes)));
        match self {
            Self::Whole(bytes) if bytes.is_empty() => Box::pin(stream::empty()),
            Self::Whole(bytes) => Box::pin(once(bytes)),
            Self::Large(begin, rest) => {
                let rest = rest.into_data_stream().map_err(std::io::Error::other);
                if begin.is_empty() { Box::pin(rest) } else { Box::pin(once(begin).chain(rest)) }
            }
        }
    }
}
