//! `multipart/form-data`, read part by part as it arrives.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use bytes::{Bytes, BytesMut};
use futures::stream::{self, StreamExt as _};
use http::header;
use send_wrapper::SendWrapper;

use crate::request::too_large;
use crate::{ApiError, ByteStream, Request};

/// The field that holds files.
const FILE_FIELD: &str = "file";
/// Maximum number of bytes before the first part. Senders normally send none.
const MAX_PREAMBLE_BYTES: usize = 8 * 1024;

/// Maximum number of bytes between a part and the content of the next one: a boundary and a few headers. They
/// are held in memory, and searched again whenever more arrive.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// The parts of a multipart body.
pub struct FormParts {
    multipart: multer::Multipart<'static>,
    limit: Option<usize>,
    /// Bytes that have arrived so far.
    arrived: Rc<Cell<usize>>,
}

impl FormParts {
    /// Reads the body of `request` up to its first boundary. With a `limit` in bytes, a longer body is a 413.
    /// A body that is not multipart is a 415.
    pub async fn new(request: Request, limit: Option<usize>) -> Result<Self, ApiError> {
        if request.media_type().as_deref() != Some("multipart/form-data") {
            return Err(ApiError::UnsupportedMediaType("multipart/form-data"));
        }
        let boundary =
            multer::parse_boundary(request.header(header::CONTENT_TYPE.as_str()).unwrap_or_default())
                .map_err(|_| ApiError::bad_request("the multipart boundary is missing"))?;
        let arrived = Rc::new(Cell::new(0_usize));
        let count = arrived.clone();
        let body = request.into_stream().inspect(move |chunk| {
            count.set(count.get().saturating_add(chunk.as_ref().map_or(0, Bytes::len)));
        });
        let stream = until_first_part(Box::pin(body), &boundary).await;
        let size = limit
            .map_or_else(multer::SizeLimit::new, |limit| multer::SizeLimit::new().whole_stream(limit as u64));
        let constraints = multer::Constraints::new().size_limit(size);
        // multer requires `Send`. A component has one thread, so its body is not `Send` and need not be.
        let multipart = multer::Multipart::with_constraints(SendWrapper::new(stream), boundary, constraints);
        Ok(Self { multipart, limit, arrived })
    }

    /// The next part. A file in a field other than `file` is a 400, and so is a part that does not begin
    /// within 64 KiB.
    pub async fn next(&mut self) -> Result<Option<FormPart>, ApiError> {
        let limit = self.limit;
        let before = self.arrived.get();
        let field = poll_fn(|context| {
            let field = self.multipart.poll_next_field(context);
            if field.is_pending() && self.arrived.get() - before > MAX_HEAD_BYTES {
                return Poll::Ready(Err(ApiError::bad_request("the head of a part is too long")));
            }
            field.map_err(|error| invalid(&error, limit))
        });
        let Some(field) = field.await? else { return Ok(None) };
        let name = field.name().unwrap_or_default().to_owned();
        if field.file_name().is_some() && name != FILE_FIELD {
            return Err(ApiError::bad_request(format!("unexpected file field {}", cut(&name))));
        }
        Ok(Some(FormPart { name, field, limit }))
    }
}

/// Waits until the first boundary has arrived, or can no longer arrive.
///
/// While multer looks for the boundary, it treats a body that ends between two polls as one without a
/// boundary (`docs/upstream.md`).
async fn until_first_part(mut body: ByteStream, boundary: &str) -> ByteStream {
    let delimiter = format!("--{boundary}").into_bytes();
    let (mut begin, mut failure) = (BytesMut::new(), None);
    let mut has_come = false;
    while begin.len() < MAX_PREAMBLE_BYTES && !has_come {
        match body.next().await {
            Some(Ok(chunk)) => {
                // A boundary may have begun in the last of the earlier bytes.
                let from = begin.len().saturating_sub(delimiter.len() - 1);
                begin.extend_from_slice(&chunk);
                has_come = begin[from..].windows(delimiter.len()).any(|bytes| bytes == delimiter);
            }
            Some(Err(error)) => {
                failure = Some(Err(error));
                break;
            }
            None => break,
        }
    }
    let begin = (!begin.is_empty()).then(|| Ok(begin.freeze()));
    Box::pin(stream::iter(begin.into_iter().chain(failure)).chain(body))
}

/// One part: a text field or a file.
pub struct FormPart {
    name: String,
    field: multer::Field<'static>,
    limit: Option<usize>,
}

impl FormPart {
    /// The name of the field.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For a file: its name as sent, unchecked.
    pub fn file_name(&self) -> Option<&str> {
        self.field.file_name()
    }

    /// The next bytes; `None` at the end of the part.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, ApiError> {
        self.field.chunk().await.map_err(|error| invalid(&error, self.limit))
    }

    /// The whole part; 400 if it has more than `limit` bytes.
    pub async fn read(&mut self, limit: usize) -> Result<Vec<u8>, ApiError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if bytes.len() + chunk.len() > limit {
                return Err(field_too_large(self.file_name().unwrap_or(&self.name), limit));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    /// Like [`FormPart::read`], as text.
    pub async fn read_text(&mut self, limit: usize) -> Result<String, ApiError> {
        let bytes = self.read(limit).await?;
        String::from_utf8(bytes)
            .map_err(|_| ApiError::bad_request(format!("the field {} is not valid UTF-8", cut(&self.name))))
    }
}

fn invalid(error: &multer::Error, limit: Option<usize>) -> ApiError {
    match error {
        multer::Error::StreamSizeExceeded { .. } => too_large(limit.unwrap_or_default()),
        multer::Error::IncompleteStream
        | multer::Error::IncompleteFieldData { .. }
        | multer::Error::IncompleteHeaders => ApiError::bad_request("the multipart body ends too early"),
        multer::Error::StreamReadFailed(_) => ApiError::bad_request("the body could not be read"),
        _ => ApiError::bad_request("the multipart body is malformed"),
    }
}

pub(crate) fn cut(text: &str) -> String {
    text.chars().take(40).collect()
}

pub(crate) fn field_too_large(name: &str, limit: usize) -> ApiError {
    ApiError::bad_request(format!("{} is larger than {limit} bytes", cut(name)))
}

#[cfg(test)]
mod tests {
    use std::task::Poll;

    use super::*;

    /// A stream whose chunks each come after a wait.
    fn slowly(mut chunks: impl Iterator<Item = Bytes> + 'static) -> crate::ByteStream {
        let mut waits = false;
        Box::pin(futures::stream::poll_fn(move |context| {
            waits = !waits;
            if waits {
                context.waker().wake_by_ref();
                return std::task::Poll::Pending;
            }
            std::task::Poll::Ready(chunks.next().map(Ok))
        }))
    }

    /// The text of the only field of a form.
    fn text_of(body: crate::ByteStream) -> Result<String, ApiError> {
        let (parts, ()) = http::Request::post("/x")
            .header("content-type", "multipart/form-data; boundary=b")
            .body(())
            .unwrap()
            .into_parts();
        futures::executor::block_on(async {
            let mut parts =
                FormParts::new(Request::new(parts, body), Some(MAX_PREAMBLE_BYTES + 1000)).await?;
            let mut part = parts.next().await?.unwrap();
            let text = part.read_text(100).await?;
            drop(part);
            assert!(parts.next().await?.is_none());
            Ok(text)
        })
    }

    const FORM: &[u8] =
        b"--b\r\nContent-Disposition: form-data; name=\"data\"\r\n\r\n{\"app\":\"notes\"}\r\n--b--\r\n";

    #[test]
    fn a_part_that_does_not_begin_is_not_waited_for() {
        for start in ["", "--b\r\nX-Header: "] {
            let arrived = Rc::new(Cell::new(0));
            let count = arrived.clone();
            let endless = std::iter::repeat_with(move || {
                count.set(count.get() + 1024);
                Bytes::from(vec![b'a'; 1024])
            });
            let (parts, ()) = http::Request::post("/x")
                .header("content-type", "multipart/form-data; boundary=b")
                .body(())
                .unwrap()
                .into_parts();
            let body = slowly(std::iter::once(Bytes::from(start)).chain(endless.take(10_000)));
            let error = futures::executor::block_on(async {
                FormParts::new(Request::new(parts, body), None).await?.next().await.map(drop)
            });
            assert_eq!(error, Err(ApiError::bad_request("the head of a part is too long")));
            assert!(arrived.get() <= MAX_PREAMBLE_BYTES + MAX_HEAD_BYTES + 2 * 1024, "{}", arrived.get());
        }
    }

    #[test]
    fn a_form_may_arrive_in_any_pieces() {
        for one in 0..FORM.len() {
            for two in one..=FORM.len() {
                let pieces = [&FORM[..one], &FORM[one..two], &FORM[two..]];
                let pieces = pieces.into_iter().filter(|piece| !piece.is_empty()).map(Bytes::copy_from_slice);
                let text = text_of(slowly(pieces));
                assert_eq!(text.unwrap(), "{\"app\":\"notes\"}", "{one} {two}");
            }
        }
    }

    #[test]
    fn a_form_may_arrive_between_two_looks() {
        for at_first in 0..FORM.len() {
            let look = |bytes: &[u8]| Poll::Ready(Ok(Bytes::copy_from_slice(bytes)));
            let looks = [look(&FORM[..at_first]), Poll::Pending, look(&FORM[at_first..])];
            let mut looks = looks.into_iter().skip(usize::from(at_first == 0));
            let body = futures::stream::poll_fn(move |context| {
                context.waker().wake_by_ref();
                looks.next().map_or(Poll::Ready(None), |look| look.map(Some))
            });
            assert_eq!(text_of(Box::pin(body)).unwrap(), "{\"app\":\"notes\"}", "{at_first}");
        }
    }

    #[test]
    fn text_before_the_first_part_is_limited() {
        let before = |bytes: usize| {
            slowly([vec![b'x'; bytes].into(), b"\r\n".as_slice().into(), FORM.into()].into_iter())
        };
        assert_eq!(text_of(before(MAX_PREAMBLE_BYTES - 3)).unwrap(), "{\"app\":\"notes\"}");
        assert_eq!(
            text_of(slowly(std::iter::once(Bytes::from_static(b"no part")))).unwrap_err().to_string(),
            "the multipart body ends too early"
        );
        assert!(text_of(slowly(std::iter::empty())).is_err());
    }
}
