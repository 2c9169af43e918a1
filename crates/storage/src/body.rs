//! Reading bodies with a size limit.

use bytes::{Bytes, BytesMut};
use futures::StreamExt as _;

use crate::error::without_urls;
use crate::{ByteStream, StorageError};

/// Reads all of `body`, or fails with [`StorageError::TooLarge`] above `limit` bytes.
pub(crate) async fn collect(body: ByteStream, limit: usize) -> Result<Bytes, StorageError> {
    collect_while(body, limit, || true).await
}

/// Reads all of `body`. Fails with [`StorageError::TooLarge`] above `limit` bytes, and with
/// [`StorageError::Unreachable`] once `is_time` returns `false`.
pub async fn collect_while(
    mut body: ByteStream,
    limit: usize,
    is_time: impl Fn() -> bool,
) -> Result<Bytes, StorageError> {
    let mut collected = BytesMut::new();
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(|error| StorageError::Unreachable(without_urls(&error.to_string())))?;
        if !is_time() {
            return Err(StorageError::Unreachable("the answer takes too long".to_owned()));
        }
        if chunk.len() > limit - collected.len() {
            return Err(StorageError::TooLarge);
        }
        collected.extend_from_slice(&chunk);
    }
    Ok(collected.freeze())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use futures::executor::block_on;
    use futures::stream;

    use super::{collect, collect_while};
    use crate::{ByteStream, StorageError};

    fn body(chunks: Vec<std::io::Result<Bytes>>) -> ByteStream {
        Box::pin(stream::iter(chunks))
    }

    #[test]
    fn reads_up_to_the_limit() {
        let chunks = || vec![Ok(Bytes::from_static(b"ab")), Ok(Bytes::from_static(b"cd"))];
        assert_eq!(block_on(collect(body(chunks()), 4)).unwrap(), "abcd");
        assert_eq!(block_on(collect(body(chunks()), 3)), Err(StorageError::TooLarge));
        assert_eq!(block_on(collect(body(vec![]), 0)).unwrap(), "");
    }

    #[test]
    fn a_body_that_takes_too_long_is_no_answer() {
        let chunks = vec![Ok(Bytes::from_static(b" ")), Ok(Bytes::from_static(b" "))];
        let asked = std::cell::Cell::new(0);
        let is_time = || asked.replace(asked.get() + 1) == 0;
        let error = block_on(collect_while(body(chunks), 9, is_time)).unwrap_err();
        assert_eq!(error, StorageError::Unreachable("the answer takes too long".to_owned()));
    }

    #[test]
    fn a_broken_body_is_no_answer() {
        let chunks = vec![Ok(Bytes::from_static(b"ab")), Err(std::io::Error::other("reset"))];
        let error = block_on(collect(body(chunks), 9)).unwrap_err();
        assert_eq!(error, StorageError::Unreachable("reset".to_owned()));
    }
}
