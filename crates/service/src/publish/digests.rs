//! Compares the bytes of staged files with the digests that the uploader declared and the feeds list.
//!
//! Each file is read once. The session records which files were compared, so a repeated call continues with
//! the next file.

use spindrift_core::feeds::FeedDigests;
use spindrift_core::{SessionFile, Sha256Hex, Sha512Hex, UploadSession};
use spindrift_db::uploads;
use spindrift_storage::{Algorithm, FileDigests, ObjectMeta, Storage};

use super::error::PublishError;
use super::feeds::CheckedFeed;
use super::limits::LIMITS;
use crate::Ports;
use crate::objects::staged::staged_location;
use crate::requests::Session;

/// The digests to compare a file's bytes with.
pub(crate) struct DigestComparison<'a> {
    pub(crate) file: &'a SessionFile,
    pub(crate) meta: &'a ObjectMeta,
    /// The declared MD5, unless the object's tag is an MD5 and has already been compared.
    pub(crate) md5: Option<&'a str>,
    /// Only for applications with TUF.
    pub(crate) required: Option<RequiredDigests>,
    /// From the feed of the same upload.
    pub(crate) listed: Vec<FeedDigests>,
}

/// The digests that every file of an application with TUF must have.
pub(crate) struct RequiredDigests {
    sha256: Sha256Hex,
    sha512: Sha512Hex,
}

impl RequiredDigests {
    /// Fails unless the file has both digests and they are well-formed.
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

impl DigestComparison<'_> {
    fn declared_digests(&self) -> impl Iterator<Item = (Algorithm, &str)> {
        let md5 = self.md5.map(|md5| (Algorithm::Md5, md5));
        let sha = self.required.iter().flat_map(|digests| {
            [(Algorithm::Sha256, digests.sha256.as_str()), (Algorithm::Sha512, digests.sha512.as_str())]
        });
        md5.into_iter().chain(sha)
    }

    fn feed_digests(&self) -> impl Iterator<Item = (Algorithm, &str)> {
        let listed = self.listed.iter().flat_map(|FeedDigests { sha1, sha256, sha512, .. }| {
            [(Algorithm::Sha1, sha1), (Algorithm::Sha256, sha256), (Algorithm::Sha512, sha512)]
        });
        listed.filter_map(|(algorithm, text)| Some((algorithm, text.as_deref()?)))
    }

    fn digests(&self) -> impl Iterator<Item = (Algorithm, &str)> {
        self.declared_digests().chain(self.feed_digests())
    }

    /// Changes whenever the bytes or the digests change. The session stores it for each file that was
    /// compared.
    fn fingerprint(&self) -> String {
        let digests = self.digests().map(|(_, digest)| digest);
        std::iter::once(self.meta.etag.as_str()).chain(digests).collect::<Vec<_>>().join(" ")
    }
}

/// Compares every file that was not compared yet. `feeds`: the source of the feed digests.
pub(crate) async fn compare_files<P: Ports>(
    session: &Session<'_, P>,
    storage: &Storage<'_, P>,
    upload: &UploadSession,
    comparisons: &[DigestComparison<'_>],
    feeds: &[CheckedFeed],
) -> Result<(), PublishError> {
    for comparison in comparisons.iter().filter(|comparison| comparison.digests().next().is_some()) {
        let (name, fingerprint) = (&comparison.file.name, comparison.fingerprint());
        // Without a tag, it is unknown whether the object has changed.
        let has_tag = !comparison.meta.etag.is_empty();
        if has_tag && upload.verified.get(name.as_str()) == Some(&fingerprint) {
            continue;
        }
        let computed = compute_digests(storage, upload, comparison).await?;
        let is_right = |(algorithm, digest)| computed.get(algorithm) == Some(digest);
        if !comparison.declared_digests().all(is_right) {
            return Err(PublishError::DigestMismatch(vec![name.clone()]));
        }
        if let Some((_, wrong)) = comparison.feed_digests().find(|listed| !is_right(*listed)) {
            let lists = |feed: &&CheckedFeed| feed.feed.digests().iter().any(|listed| listed.has(wrong));
            if let Some(feed) = feeds.iter().find(lists) {
                let error = feed.feed.digest_error(name.as_str());
                return Err(error.in_file(feed.file_name.as_str()).into());
            }
        }
        let until = session.ports.now().plus_seconds(LIMITS.claim_seconds);
        uploads::set_verified(&session.conn, &upload.id, name, &fingerprint, until)?;
    }
    Ok(())
}

/// Streams the staged bytes, and computes the needed digests.
async fn compute_digests<P: Ports>(
    storage: &Storage<'_, P>,
    upload: &UploadSession,
    comparison: &DigestComparison<'_>,
) -> Result<FileDigests, PublishError> {
    let name = &comparison.file.name;
    let stream = storage.get_stream(&staged_location(&upload.id, name)?).await?;
    let (meta, stream) = stream.ok_or_else(|| PublishError::FilesMissing(vec![name.clone()]))?;
    if meta.etag != comparison.meta.etag {
        return Err(PublishError::FileInUse(name.clone()));
    }
    Ok(FileDigests::read(stream, comparison.digests().map(|(algorithm, _)| algorithm)).await?)
}
