//! The asynchronous layer over the pure functions.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use serde::Deserialize;
use spindrift_core::{ContentHeaders, Timestamp};

use crate::body::{collect, collect_while};
use crate::draft::Draft;
use crate::{
    BucketKind, ByteStream, HttpSend, ListPage, ListedObject, Location, MAX_LIST_PAGE, ObjectMeta,
    OpenUploadsMarker, OpenUploadsPage, PartNumber, PutOptions, StorageConfig, StorageError, StoredPart,
    UploadId, UploadedPart, answer, list, multipart, open_uploads, parts, request,
};

/// Time-out for copying an object and for completing a multipart upload: some servers answer only after they
/// have copied all bytes (up to 5 GiB).
pub const SLOW_TIME_OUT: Duration = Duration::from_mins(5);

/// Time-out for sending an object or a part: the answer comes after all bytes have arrived and been written
/// to disk, and the disk may be busy.
pub const WRITE_TIME_OUT: Duration = Duration::from_mins(1);

/// A time-out limits each of three phases: connecting, waiting for the first byte, and waiting between two
/// bytes.
const PHASES: u64 = 3;

/// The longest time from the beginning of a write until it has ended, one way or the other.
pub const LONGEST_WRITE: Duration = Duration::from_secs(PHASES * WRITE_TIME_OUT.as_secs());

/// The longest time from the beginning of [`Storage::copy`] until it has ended, one way or the other. The
/// storage may send white space for as long as one time-out, and then pause for another one.
pub const LONGEST_COPY: Duration = Duration::from_secs((PHASES + 1) * SLOW_TIME_OUT.as_secs());

/// Maximum number of bytes read from an error answer. Errors take a few hundred.
const MAX_ERROR_BODY: usize = 64 * 1024;

/// Maximum number of bytes read from a listing: 1000 entries, each with an escaped key of 1024 bytes.
const MAX_LIST_BODY: usize = 8 * 1024 * 1024;

/// Access to the storage for the service itself: through the api endpoint, with signatures that are valid for
/// minutes. Works with both drivers.
///
/// Every method fails with [`StorageError::NotConfigured`] without keys, with [`StorageError::Unreachable`]
/// or [`StorageError::Denied`] if there is no answer, and with [`StorageError::Answered`] for an unexpected
/// status.
pub struct Storage<'a, H> {
    config: StorageConfig,
    http: &'a H,
    now: Box<dyn Fn() -> Timestamp + 'a>,
}

impl<H> fmt::Debug for Storage<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Storage").field("config", &self.config).finish_non_exhaustive()
    }
}

impl<'a, H: HttpSend> Storage<'a, H> {
    /// `now` is called for each request.
    pub fn new(config: StorageConfig, http: &'a H, now: impl Fn() -> Timestamp + 'a) -> Self {
        Self { config, http, now: Box::new(now) }
    }

    pub const fn config(&self) -> &StorageConfig {
        &self.config
    }

    /// The time now, by the clock that signs requests.
    pub fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// Metadata of the object. `Ok(None)` if there is no such object.
    pub async fn head(&self, at: &Location) -> Result<Option<ObjectMeta>, StorageError> {
        let answer = present(self.send(request::head(at)).await)?;
        answer.map(|answer| ObjectMeta::from_headers(answer.headers())).transpose()
    }

    /// Writes the object, replacing any existing one. Always sends `Content-MD5`.
    pub async fn put(&self, at: &Location, body: Bytes, options: PutOptions) -> Result<(), StorageError> {
        self.send_within(request::put(at, body, options), self.writing()).await.map(drop)
    }

    /// Copies an object of at most 5 GiB inside the storage, if it still has this tag
    /// ([`crate::ObjectMeta::etag`]; an empty one matches any tag). The copy has only the given headers.
    /// Fails with [`StorageError::NoSuchObject`] if the object does not exist, and with
    /// [`StorageError::Changed`] if it has another tag. A storage that does not support the condition copies
    /// without it.
    pub async fn copy(
        &self,
        from: &Location,
        etag: &str,
        to: &Location,
        headers: ContentHeaders,
    ) -> Result<(), StorageError> {
        let copy = async |if_match| {
            let draft = request::copy(&self.config, from, to, headers, if_match);
            self.copied(self.send_within(draft, self.slow()).await).await
        };
        let if_match = Some(etag).filter(|etag| !etag.is_empty());
        match copy(if_match).await {
            Err(StorageError::Answered { status: 412, .. }) => Err(StorageError::Changed),
            Err(error) if if_match.is_some() && answer::is_unknown(&error) => copy(None).await,
            copied => copied,
        }
    }

    /// Reads the answer to a copy.
    async fn copied(&self, answer: Result<Response<ByteStream>, StorageError>) -> Result<(), StorageError> {
        #[derive(Deserialize)]
        struct Copied {}
        let answer = present(answer)?;
        let end = (self.now)().plus_seconds(self.slow().as_secs().cast_signed());
        let is_time = || (self.now)() <= end;
        let body = answer.ok_or(StorageError::NoSuchObject)?.into_body();
        let body = collect_while(body, MAX_ERROR_BODY, is_time).await?;
        answer::document::<Copied>(&body, "CopyObjectResult").map(drop)
    }

    /// Deletes the object. Deleting an object that does not exist succeeds.
    pub async fn delete(&self, at: &Location) -> Result<(), StorageError> {
        present(self.send(request::delete(at)).await).map(drop)
    }

    /// The whole object. `Ok(None)` if there is no such object. Fails with [`StorageError::TooLarge`] above
    /// `limit` bytes.
    pub async fn get(&self, at: &Location, limit: usize) -> Result<Option<Bytes>, StorageError> {
        match present(self.send(request::get(at)).await)? {
            Some(answer) => collect(answer.into_body(), limit).await.map(Some),
            None => Ok(None),
        }
    }

    /// The object in chunks. `Ok(None)` if there is no such object.
    pub async fn get_stream(&self, at: &Location) -> Result<Option<(ObjectMeta, ByteStream)>, StorageError> {
        match present(self.send(request::get(at)).await)? {
            Some(answer) => {
                let meta = ObjectMeta::from_headers(answer.headers())?;
                Ok(Some((meta, answer.into_body())))
            }
            None => Ok(None),
        }
    }

    /// One page of at most `limit` (1 to [`crate::MAX_LIST_PAGE`]) objects whose keys start with `prefix`.
    /// `next` comes from the previous page.
    pub async fn list(
        &self,
        bucket: BucketKind,
        prefix: &str,
        next: Option<&str>,
        limit: u16,
    ) -> Result<ListPage, StorageError> {
        let answer = self.send(list::request(bucket, prefix, next, limit)).await?;
        list::page(&collect(answer.into_body(), MAX_LIST_BODY).await?)
    }

    /// All objects whose keys start with `prefix`.
    pub async fn list_all(
        &self,
        bucket: BucketKind,
        prefix: &str,
    ) -> Result<Vec<ListedObject>, StorageError> {
        let (mut objects, mut next) = (Vec::new(), None);
        loop {
            let page = self.list(bucket, prefix, next.as_deref(), MAX_LIST_PAGE).await?;
            objects.extend(page.objects);
            next = page.next;
            if next.is_none() {
                return Ok(objects);
            }
        }
    }

    /// Begins a multipart upload, which must be completed or aborted. The MD5 in `options` is ignored.
    pub async fn create_multipart(
        &self,
        at: &Location,
        options: PutOptions,
    ) -> Result<UploadId, StorageError> {
        let answer = self.send(multipart::create(at, options)).await?;
        multipart::created(&collect(answer.into_body(), MAX_ERROR_BODY).await?)
    }

    /// Sends one part of at least [`crate::MIN_PART_SIZE`] bytes; the last may be smaller. Sending the same
    /// number again replaces the part.
    pub async fn upload_part(
        &self,
        at: &Location,
        upload: &UploadId,
        number: PartNumber,
        body: Bytes,
    ) -> Result<UploadedPart, StorageError> {
        let answer = self.send_within(multipart::part(at, upload, number, body), self.writing()).await?;
        multipart::uploaded(number, answer.headers())
    }

    /// The parts that have arrived, in ascending order. `Ok(None)` if there is no such upload, because it was
    /// completed or aborted.
    pub async fn list_parts(
        &self,
        at: &Location,
        upload: &UploadId,
    ) -> Result<Option<Vec<StoredPart>>, StorageError> {
        let (mut all, mut next) = (Vec::new(), None);
        loop {
            let Some(answer) = present(self.send(parts::request(at, upload, next)).await)? else {
                return Ok(None);
            };
            let page = parts::page(&collect(answer.into_body(), MAX_LIST_BODY).await?)?;
            all.extend(page.parts);
            // If a storage repeated a page, this loop would never end.
            if page.next <= next {
                return Ok(Some(all));
            }
            next = page.next;
        }
    }

    /// Joins the parts in ascending order of their numbers. Returns the object's tag, which is not an MD5.
    pub async fn complete_multipart(
        &self,
        at: &Location,
        upload: &UploadId,
        parts: &[UploadedPart],
    ) -> Result<String, StorageError> {
        let draft = multipart::complete(at, upload, parts)?;
        let answer = self.send_within(draft, self.slow()).await?;
        multipart::completed(&collect(answer.into_body(), MAX_ERROR_BODY).await?)
    }

    /// One page of the open multipart uploads for keys that start with `prefix`. `Ok(None)` if the storage
    /// does not support this call.
    pub async fn list_multipart(
        &self,
        bucket: BucketKind,
        prefix: &str,
        next: Option<&OpenUploadsMarker>,
    ) -> Result<Option<OpenUploadsPage>, StorageError> {
        match self.send(open_uploads::request(bucket, prefix, next)).await {
            Ok(answer) => open_uploads::page(&collect(answer.into_body(), MAX_LIST_BODY).await?).map(Some),
            Err(error) if answer::is_unknown(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Drops a multipart upload and its parts. Aborting an unknown upload succeeds.
    pub async fn abort_multipart(&self, at: &Location, upload: &UploadId) -> Result<(), StorageError> {
        present(self.send(multipart::abort(at, upload)).await).map(drop)
    }

    async fn send(&self, draft: Draft<'_>) -> Result<Response<ByteStream>, StorageError> {
        self.send_within(draft, self.config.time_out()).await
    }

    /// Sends the request and turns every status except 2xx into an error.
    async fn send_within(
        &self,
        draft: Draft<'_>,
        time_out: Duration,
    ) -> Result<Response<ByteStream>, StorageError> {
        let request = draft.into_request(&self.config, self.now())?;
        let answer = self.http.send(request, time_out).await?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let (head, body) = answer.into_parts();
        let body = collect(body, MAX_ERROR_BODY).await.unwrap_or_default();
        Err(answer::failure(head.status, &body))
    }

    fn writing(&self) -> Duration {
        self.config.time_out().max(WRITE_TIME_OUT)
    }

    fn slow(&self) -> Duration {
        self.config.time_out().max(SLOW_TIME_OUT)
    }
}

/// Turns the error for a missing object into `None`.
fn present<T>(result: Result<T, StorageError>) -> Result<Option<T>, StorageError> {
    match result {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if answer::is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::time::Duration;

    use bytes::Bytes;
    use futures::executor::block_on;
    use futures::stream;
    use spindrift_core::{ContentHeaders, Timestamp};

    use super::{SLOW_TIME_OUT, Storage};
    use crate::config::tests::config;
    use crate::{
        BucketKind, ByteStream, DEFAULT_TIME_OUT, HttpSend, Location, ObjectKey, SendError, StorageError,
    };

    const HEADERS: ContentHeaders =
        ContentHeaders { content_type: "application/zip", content_disposition: "attachment" };

    type Headers = &'static [(&'static str, &'static str)];

    /// An HTTP client that gives one answer and records the request.
    struct OneAnswer {
        answer: Result<(u16, Headers, &'static str), SendError>,
        request: RefCell<Option<(http::Request<Bytes>, Duration)>>,
    }

    impl HttpSend for OneAnswer {
        async fn send(
            &self,
            request: http::Request<Bytes>,
            time_out: Duration,
        ) -> Result<http::Response<ByteStream>, SendError> {
            *self.request.borrow_mut() = Some((request, time_out));
            let (status, headers, body) = self.answer.clone()?;
            let body: ByteStream = Box::pin(stream::iter([Ok(Bytes::from_static(body.as_bytes()))]));
            let mut answer = http::Response::builder().status(status);
            for (name, value) in headers {
                answer = answer.header(*name, *value);
            }
            Ok(answer.body(body).unwrap())
        }
    }

    fn answering(status: u16, headers: Headers, body: &'static str) -> OneAnswer {
        OneAnswer { answer: Ok((status, headers, body)), request: RefCell::new(None) }
    }

    fn at(key: &str) -> Location {
        Location::new(BucketKind::Public, ObjectKey::new(key).unwrap())
    }

    /// Runs `work` with a storage that uses `http`.
    fn with<T>(http: &OneAnswer, work: impl AsyncFnOnce(Storage<'_, OneAnswer>) -> T) -> T {
        let config = config(&[("storage_driver", "s3_internal")]).unwrap();
        block_on(work(Storage::new(config, http, || Timestamp::from_millis(0))))
    }

    #[test]
    fn absence_is_not_an_error() {
        const NO_KEY: &str = "<Error><Code>NoSuchKey</Code></Error>";
        assert_eq!(with(&answering(404, &[], ""), async |s| s.head(&at("a")).await), Ok(None));
        assert_eq!(with(&answering(404, &[], NO_KEY), async |s| s.get(&at("a"), 9).await), Ok(None));
        assert_eq!(with(&answering(404, &[], NO_KEY), async |s| s.delete(&at("a")).await), Ok(()));
        let stream = with(&answering(404, &[], NO_KEY), async |s| s.get_stream(&at("a")).await);
        assert!(matches!(stream, Ok(None)));
        let copy =
            with(&answering(404, &[], NO_KEY), async |s| s.copy(&at("a"), "", &at("b"), HEADERS).await);
        assert_eq!(copy, Err(StorageError::NoSuchObject));
    }

    #[test]
    fn every_other_status_is_an_error() {
        const DENIED: &str = "<Error><Code>AccessDenied</Code></Error>";
        let denied = StorageError::Answered { status: 403, code: Some("AccessDenied".to_owned()) };
        let http = answering(403, &[], DENIED);
        assert_eq!(with(&http, async |s| s.head(&at("a")).await), Err(denied.clone()));
        assert_eq!(with(&http, async |s| s.delete(&at("a")).await), Err(denied.clone()));
        assert_eq!(with(&http, async |s| s.get(&at("a"), 9).await), Err(denied));
        let moved = with(&answering(307, &[("location", "/")], ""), async |s| s.get(&at("a"), 9).await);
        assert_eq!(moved, Err(StorageError::Answered { status: 307, code: None }));
        let bucket = answering(404, &[], "<Error><Code>NoSuchBucket</Code></Error>");
        assert!(with(&bucket, async |s| s.get(&at("a"), 9).await).is_err());
    }

    #[test]
    fn head_reads_what_is_there() {
        let http = answering(200, &[("content-length", "7"), ("etag", "\"00\"")], "");
        let meta = with(&http, async |s| s.head(&at("a b")).await).unwrap().unwrap();
        assert_eq!((meta.size, &*meta.etag), (7, "00"));
        let (request, time_out) = http.request.into_inner().unwrap();
        assert_eq!(request.method(), "HEAD");
        assert_eq!(request.uri(), "http://storage.internal:9000/pub-bucket/a%20b");
        assert_eq!(time_out, DEFAULT_TIME_OUT);
    }

    #[test]
    fn get_keeps_to_its_limit() {
        let http = answering(200, &[], "hello");
        assert_eq!(with(&http, async |s| s.get(&at("a"), 5).await), Ok(Some(Bytes::from_static(b"hello"))));
        assert_eq!(with(&http, async |s| s.get(&at("a"), 4).await), Err(StorageError::TooLarge));
    }

    #[test]
    fn a_copy_that_fails_after_its_status_has_failed() {
        let http = answering(200, &[], "<CopyObjectResult><ETag>\"0\"</ETag></CopyObjectResult>");
        assert_eq!(with(&http, async |s| s.copy(&at("a"), "00", &at("b"), HEADERS).await), Ok(()));
        let (request, time_out) = http.request.into_inner().unwrap();
        assert_eq!(time_out, SLOW_TIME_OUT);
        for (name, value) in [
            ("x-amz-metadata-directive", "REPLACE"),
            ("content-type", HEADERS.content_type),
            ("content-disposition", HEADERS.content_disposition),
            ("x-amz-copy-source-if-match", "\"00\""),
        ] {
            assert_eq!(request.headers()[name], value);
            let authorization = request.headers()["authorization"].to_str().unwrap();
            assert!(authorization.contains(name), "{name} is not signed");
        }
        let failing = answering(200, &[], "<Error><Code>InternalError</Code></Error>");
        assert_eq!(
            with(&failing, async |s| s.copy(&at("a"), "", &at("b"), HEADERS).await),
            Err(StorageError::Answered { status: 200, code: Some("InternalError".to_owned()) })
        );
    }

    #[test]
    fn an_object_with_another_tag_is_not_copied() {
        const FAILED: &str = "<Error><Code>PreconditionFailed</Code></Error>";
        let copy = |status, body, etag| {
            let http = answering(status, &[], body);
            let copied = with(&http, async |s| s.copy(&at("a"), etag, &at("b"), HEADERS).await);
            let (request, _) = http.request.into_inner().unwrap();
            (copied, request.headers().contains_key("x-amz-copy-source-if-match"))
        };
        assert_eq!(copy(412, FAILED, "00"), (Err(StorageError::Changed), true));
        // If the storage does not support conditions, the request is repeated without one; if it sends no
        // tags, no condition is sent.
        let unknown = StorageError::Answered { status: 501, code: None };
        assert_eq!(copy(501, "", "00"), (Err(unknown.clone()), false));
        assert_eq!(copy(501, "", ""), (Err(unknown), false));
        let busy = StorageError::Answered { status: 503, code: None };
        assert_eq!(copy(503, "", "00"), (Err(busy), true));
    }

    #[test]
    fn not_every_storage_lists_open_uploads() {
        const UNKNOWN: &str = "<Error><Code>NotImplemented</Code></Error>";
        let list =
            async |s: Storage<'_, OneAnswer>| s.list_multipart(BucketKind::Private, "pending/", None).await;
        for (status, body) in [(501, UNKNOWN), (501, ""), (405, ""), (400, UNKNOWN)] {
            assert_eq!(with(&answering(status, &[], body), list), Ok(None), "{status}");
        }
        for (status, body) in [(400, ""), (403, ""), (500, ""), (503, "")] {
            assert!(with(&answering(status, &[], body), list).is_err(), "{status}");
        }
    }

    #[test]
    fn no_answer_keeps_its_reason() {
        let refused = SendError::Unreachable("connection refused".to_owned());
        let http = OneAnswer { answer: Err(refused), request: RefCell::new(None) };
        assert_eq!(
            with(&http, async |s| s.head(&at("a")).await),
            Err(StorageError::Unreachable("connection refused".to_owned()))
        );
        let http = OneAnswer { answer: Err(SendError::Denied), request: RefCell::new(None) };
        assert_eq!(with(&http, async |s| s.head(&at("a")).await), Err(StorageError::Denied));
    }
}
