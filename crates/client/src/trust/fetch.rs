//! One file of metadata from one mirror.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::TrustSettings;
use crate::{Body, Cause, Client, EndpointError, TransportError, address, exchange, follow};

/// Most redirects of one file.
const MAX_REDIRECTS: u32 = 3;
/// Longest body of an error that is read, in bytes: the service's are one sentence.
const MAX_ERROR_BYTES: usize = 8 * 1024;

/// How long an answer may take: `time_out`, and longer for the bytes that arrive at the slowest accepted rate
/// or faster. So sending a byte now and then gains no time.
struct Pace {
    start: Instant,
    time_out: Duration,
    bytes_per_second: u32,
}

impl Pace {
    fn deadline(&self, received: usize) -> Instant {
        let bytes = u32::try_from(received).unwrap_or(u32::MAX);
        let earned = Duration::from_secs(1).saturating_mul(bytes) / self.bytes_per_second.max(1);
        self.start + self.time_out + earned
    }
}

/// Reads a file whole.
pub(super) async fn fetch(
    client: &Client,
    url: &Url,
    secrets: &HeaderMap,
    max_bytes: usize,
    settings: &TrustSettings,
) -> Result<Bytes, EndpointError> {
    let pace = Pace {
        start: Instant::now(),
        time_out: settings.time_out,
        bytes_per_second: settings.min_bytes_per_second,
    };
    let shown = address::redact(url);
    // Lengths and digests apply to the unencoded file.
    let headers = HeaderMap::from_iter([
        (header::ACCEPT, HeaderValue::from_static("application/json")),
        (header::ACCEPT_ENCODING, HeaderValue::from_static("identity")),
    ]);
    let asked = follow::get(client, url, &headers, secrets, MAX_REDIRECTS);
    let late = || exchange::failure(&shown, None, Cause::Transport(TransportError::TimedOut));
    let (head, body) = timeout_at(pace.deadline(0), asked).await.map_err(|_| late())??.into_parts();
    if head.status != StatusCode::OK {
        let said = exchange::read_error(body, settings.time_out, MAX_ERROR_BYTES).await;
        return Err(exchange::refusal(&shown, head.status, &head.headers, said));
    }
    let read = read(body, max_bytes, &pace).await;
    read.map_err(|cause| exchange::failure(&shown, Some(head.status), cause))
}

/// Whether the mirror does not have the file. A bucket that nobody may list answers 403 for that.
pub(super) const fn is_absence(error: &EndpointError) -> bool {
    matches!((&error.cause, error.status), (Cause::Status(_), Some(403 | 404 | 410)))
}

async fn read(mut body: Body, max_bytes: usize, pace: &Pace) -> Result<Bytes, Cause> {
    let mut bytes = BytesMut::new();
    loop {
        let next = timeout_at(pace.deadline(bytes.len()), body.next()).await;
        match next.map_err(|_| Cause::Transport(TransportError::TimedOut))? {
            None => return Ok(bytes.freeze()),
            Some(chunk) => bytes.extend_from_slice(&chunk.map_err(Cause::Transport)?),
        }
        if bytes.len() > max_bytes {
            return Err(Cause::TooLarge(max_bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_many_bytes_gain_time() {
        let start = Instant::now();
        let pace = Pace { start, time_out: Duration::from_secs(10), bytes_per_second: 1000 };
        for (received, seconds) in [(0, 10.0), (10, 10.01), (1000, 11.0), (4_000_000, 4010.0)] {
            assert_eq!(pace.deadline(received), start + Duration::from_secs_f64(seconds), "{received}");
        }
        let any = Pace { bytes_per_second: 0, ..pace };
        assert_eq!(any.deadline(1), start + Duration::from_secs(11));
    }
}
