//! Feeds of an upload: read, compared with its files, and what is recorded of them.

use std::collections::BTreeMap;

use base16ct::lower::encode_string as hex;
use bytes::Bytes;
use futures::TryStreamExt;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use spindrift_core::feeds::{self, Feed, FeedDigests, ReleaseFeed, UploadFacts};
use spindrift_core::{
    FeedName, FileEntry, FileName, MAX_FEED_BYTES, SessionFile, Updater, UploadSession, Version,
};
use spindrift_db::artifacts;
use spindrift_service::staging::staged;
use spindrift_service::{Failure, Ports, settings};
use spindrift_storage::{Storage, StorageError};
use spindrift_web::ApiError;

use crate::verify::missing;

/// `feed_digest_max_bytes`: files up to this size are read once before a release is recorded, and compared with the
/// digests in its feed.
const DEFAULT_DIGEST_MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Largest feed file, in bytes.
#[expect(clippy::cast_possible_truncation, reason = "10 MiB fits every usize")]
const MAX_FEED: usize = MAX_FEED_BYTES as usize;

/// A feed as it is recorded, and the name that it was uploaded under.
pub struct CheckedFeed {
    /// The name.
    pub file_name: FileName,
    /// What it says.
    pub feed: ReleaseFeed,
}

/// What a feed is compared with.
pub struct Compared<'a> {
    /// The updater that the files are for.
    pub updater: Updater,
    /// The release's version.
    pub version: &'a Version,
    /// The files of the upload. Lengths and digests that are not known yet are not compared.
    pub files: &'a [FileEntry],
    /// Files of earlier uploads, which feeds may name.
    pub stored: &'a [FileName],
}

/// Reads the updater's feeds and compares them with the files: 400 with the reason. `None`: the updater has no feed.
/// Feeds of other updaters, which some tools write beside their own, are not looked at.
pub fn check(compared: &Compared<'_>, feeds: &[(FeedName, Bytes)]) -> Result<Option<CheckedFeed>, ApiError> {
    let refuse = |error: feeds::FeedError| ApiError::bad_request(error.to_string());
    let own: Vec<_> = feeds.iter().filter(|(name, _)| name.kind().updater() == compared.updater).collect();
    let parsed: Vec<Feed> = own
        .iter()
        .map(|(name, bytes)| feeds::parse(name.kind(), bytes).map_err(refuse))
        .collect::<Result<_, _>>()?;
    let facts = UploadFacts { version: compared.version, files: compared.files, stored: compared.stored };
    let feed = feeds::check(compared.updater, &parsed, &facts).map_err(refuse)?;
    let file_name = own.first().map(|(name, _)| name.as_file_name().clone());
    Ok(feed.zip(file_name).map(|(feed, file_name)| CheckedFeed { file_name, feed }))
}

/// As [`check`], for feeds and files that are staged: sizes are those of the storage, and digests those of the bytes.
pub(crate) async fn check_staged<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    sizes: &[u64],
) -> Result<Option<CheckedFeed>, Failure> {
    let updater = session.release.updater;
    let mut feeds = Vec::new();
    let mut files = Vec::new();
    for (file, size) in session.files.iter().zip(sizes) {
        match FeedName::try_from(file.name.clone()) {
            Ok(name) if file.feed => {
                let bytes = storage.get(&staged(&session.id, &file.name)?, MAX_FEED).await?;
                feeds.push((name, bytes.ok_or_else(|| missing(&[&file.name]))?));
            }
            _ => files.extend(entry(file, *size)),
        }
    }
    let stored = artifacts::file_names(conn, &session.app_id, &session.target, updater)?;
    let compared = Compared { updater, version: &session.release.version, files: &files, stored: &stored };
    let checked = check(&compared, &feeds)?;
    if let Some(checked) = &checked {
        let limit = settings::number(ports, "feed_digest_max_bytes", DEFAULT_DIGEST_MAX_BYTES, 0..=u64::MAX)?;
        let sizes: BTreeMap<_, _> = session.files.iter().map(|f| f.name.as_str()).zip(sizes).collect();
        for digests in checked.feed.digests() {
            let size = sizes.get(digests.file_name.as_str());
            if size.is_some_and(|size| **size <= limit) {
                compare_bytes(storage, session, &checked.feed, &digests).await?;
            }
        }
    }
    Ok(checked)
}

/// A staged file as a feed is compared with it. Without a well-formed MD5, which sessions always have, it is none.
fn entry(file: &SessionFile, size: u64) -> Option<FileEntry> {
    Some(FileEntry {
        name: file.name.clone(),
        md5: file.md5.parse().ok()?,
        sha256: file.sha256.clone(),
        sha512: file.sha512.clone(),
        length: Some(size),
    })
}

/// Reads a staged file once, as it streams.
async fn compare_bytes<P: Ports>(
    storage: &Storage<'_, P>,
    session: &UploadSession,
    feed: &ReleaseFeed,
    digests: &FeedDigests,
) -> Result<(), Failure> {
    let Some(file) = session.files.iter().find(|file| file.name.as_str() == digests.file_name) else {
        return Ok(());
    };
    let found = storage.get_stream(&staged(&session.id, &file.name)?).await?;
    let (_, mut stream) = found.ok_or_else(|| missing(&[&file.name]))?;
    let mut hashes = Hashes::default();
    while let Some(chunk) =
        stream.try_next().await.map_err(|error| StorageError::Unreachable(error.to_string()))?
    {
        hashes.update(digests, &chunk);
    }
    if hashes.are(digests) {
        return Ok(());
    }
    Err(ApiError::bad_request(feed.digest_error(&digests.file_name).to_string()).into())
}

/// Of the bytes of a file so far; only what a feed gives is computed.
#[derive(Default)]
struct Hashes {
    sha1: Sha1,
    sha256: Sha256,
    sha512: Sha512,
}

impl Hashes {
    fn update(&mut self, digests: &FeedDigests, chunk: &[u8]) {
        if digests.sha1.is_some() {
            self.sha1.update(chunk);
        }
        if digests.sha256.is_some() {
            self.sha256.update(chunk);
        }
        if digests.sha512.is_some() {
            self.sha512.update(chunk);
        }
    }

    fn are(self, digests: &FeedDigests) -> bool {
        let is =
            |given: &Option<String>, bytes: &[u8]| given.as_ref().is_none_or(|given| *given == hex(bytes));
        is(&digests.sha1, &self.sha1.finalize())
            && is(&digests.sha256, &self.sha256.finalize())
            && is(&digests.sha512, &self.sha512.finalize())
    }
}
