//! Comparing the bytes of staged files with the digests declared by the uploader and listed in feeds.
//!
//! Each file is read once. The session remembers the comparison, so a repeated call continues with the next
//! file.

use base16ct::lower::encode_string as hex;
use futures::TryStreamExt;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use spindrift_core::feeds::FeedDigests;
use spindrift_core::{SessionFile, Sha256Hex, Sha512Hex, UploadSession};
use spindrift_db::uploads;
use spindrift_service::Ports;
use spindrift_service::objects::staged::staged;
use spindrift_storage::{ObjectMeta, Storage, StorageError};

use crate::error::PublishError;
use crate::feeds::CheckedFeed;
use crate::limits::LIMITS;

/// The digests to compare a file's bytes with.
pub(crate) struct Comparison<'a> {
    pub(crate) file: &'a SessionFile,
    /// The object's metadata, as read before.
    pub(crate) meta: &'a ObjectMeta,
    /// The declared MD5, unless the object's tag is an MD5, which was compared already.
    pub(crate) md5: Option<&'a str>,
    /// Set for an application with TUF.
    pub(crate) declared: Option<Declared>,
    /// From the feed of the same upload.
    pub(crate) in_feed: Vec<FeedDigests>,
}

/// The digests that every file of an application with TUF must have.
pub(crate) struct Declared {
    sha256: Sha256Hex,
    sha512: Sha512Hex,
}

impl Declared {
    /// An error unless the file has both and they are well-formed.
    pub(crate) fn of(file: &SessionFile) -> Result<Self, PublishError> {
        let digests = file.digests();
        let sha256 = digests.and_then(|digests| digests.sha256.as_deref()).and_then(|text| text.parse().ok());
        let sha512 = digests.and_then(|digests| digests.sha512.as_deref()).and_then(|text| text.parse().ok());
        sha256
            .zip(sha512)
            .map(|(sha256, sha512)| Self { sha256, sha512 })
            .ok_or(PublishError::DigestsRequired)
    }
}

impl Comparison<'_> {
    fn is_of_something(&self) -> bool {
        self.md5.is_some() || self.declared.is_some() || !self.in_feed.is_empty()
    }

    /// A text that changes whenever the bytes or the digests change.
    fn memory(&self) -> String {
        let declared =
            self.declared.iter().flat_map(|digests| [digests.sha256.as_str(), digests.sha512.as_str()]);
        let in_feed = self.in_feed.iter().flat_map(|d| [&d.sha1, &d.sha256, &d.sha512]).flatten();
        let digests = self.md5.into_iter().chain(declared).chain(in_feed.map(String::as_str));
        std::iter::once(self.meta.etag.as_str()).chain(digests).collect::<Vec<_>>().join(" ")
    }
}

/// Compares every file that has not been compared yet. `feed` is the source of the feed digests.
pub(crate) async fn compare<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    (comparisons, feed): (&[Comparison<'_>], Option<&CheckedFeed>),
) -> Result<(), PublishError> {
    for comparison in comparisons.iter().filter(|comparison| comparison.is_of_something()) {
        let (name, memory) = (&comparison.file.name, comparison.memory());
        // Without a tag it is unknown whether the object is still the same.
        let has_tag = !comparison.meta.etag.is_empty();
        if has_tag && session.verified.get(name.as_str()) == Some(&memory) {
            continue;
        }
        let found = read(storage, session, comparison).await?;
        if comparison.md5.is_some_and(|md5| found.md5.as_deref() != Some(md5)) {
            return Err(PublishError::DigestMismatch(vec![name.clone()]));
        }
        if comparison.declared.as_ref().is_some_and(|declared| !found.are_declared(declared)) {
            return Err(PublishError::DigestMismatch(vec![name.clone()]));
        }
        if let (Some(feed), false) =
            (feed, comparison.in_feed.iter().all(|digests| found.are_in_feed(digests)))
        {
            return Err(feed.feed.digest_error(name.as_str()).into());
        }
        let until = ports.now().plus_seconds(LIMITS.claim_seconds);
        uploads::set_verified(conn, &session.id, name, &memory, until)?;
    }
    Ok(())
}

/// Streams the staged bytes and computes the needed digests.
async fn read<P: Ports>(
    storage: &Storage<'_, P>,
    session: &UploadSession,
    comparison: &Comparison<'_>,
) -> Result<Found, PublishError> {
    let name = &comparison.file.name;
    let stream = storage.get_stream(&staged(&session.id, name)?).await?;
    let (meta, mut stream) = stream.ok_or_else(|| PublishError::FilesMissing(vec![name.clone()]))?;
    if meta.etag != comparison.meta.etag {
        return Err(PublishError::FileInUse(name.clone()));
    }
    let (declared, in_feed) = (comparison.declared.is_some(), &comparison.in_feed);
    let mut md5 = comparison.md5.is_some().then(Md5::new);
    let mut sha1 = in_feed.iter().any(|digests| digests.sha1.is_some()).then(Sha1::new);
    let mut sha256 = (declared || in_feed.iter().any(|digests| digests.sha256.is_some())).then(Sha256::new);
    let mut sha512 = (declared || in_feed.iter().any(|digests| digests.sha512.is_some())).then(Sha512::new);
    while let Some(chunk) =
        stream.try_next().await.map_err(|error| StorageError::Unreachable(error.to_string()))?
    {
        if let Some(hasher) = &mut md5 {
            hasher.update(&chunk);
        }
        if let Some(hasher) = &mut sha1 {
            hasher.update(&chunk);
        }
        if let Some(hasher) = &mut sha256 {
            hasher.update(&chunk);
        }
        if let Some(hasher) = &mut sha512 {
            hasher.update(&chunk);
        }
    }
    Ok(Found {
        md5: md5.map(|hasher| hex(&hasher.finalize())),
        sha1: sha1.map(|hasher| hex(&hasher.finalize())),
        sha256: sha256.map(|hasher| hex(&hasher.finalize())),
        sha512: sha512.map(|hasher| hex(&hasher.finalize())),
    })
}

/// Digests of the bytes, in lower-case hex. `None`: not needed.
struct Found {
    md5: Option<String>,
    sha1: Option<String>,
    sha256: Option<String>,
    sha512: Option<String>,
}

impl Found {
    fn are_declared(&self, declared: &Declared) -> bool {
        self.sha256.as_deref() == Some(declared.sha256.as_str())
            && self.sha512.as_deref() == Some(declared.sha512.as_str())
    }

    fn are_in_feed(&self, given: &FeedDigests) -> bool {
        let is = |given: &Option<String>, found: &Option<String>| given.is_none() || given == found;
        is(&given.sha1, &self.sha1) && is(&given.sha256, &self.sha256) && is(&given.sha512, &self.sha512)
    }
}
