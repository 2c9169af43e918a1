//! The feeds of an upload: parsed, compared with its files, and prepared for recording.

use bytes::Bytes;
use spindrift_core::feeds::{FeedDigests, FeedError, ReleaseFeed, UploadFacts};
use spindrift_core::{
    BasisPoints, FeedName, FileEntry, FileName, Id, MAX_FEED_BYTES, SessionFile, Target, Updater,
    UploadSession, Version,
};
use spindrift_db::{SqlConn, SqlError, artifacts};
use spindrift_service::Ports;
use spindrift_service::objects::staged::staged;
use spindrift_storage::{ObjectMeta, Storage};

use crate::error::PublishError;

/// Largest feed file, in bytes.
#[expect(clippy::cast_possible_truncation, reason = "10 MiB fits every usize")]
const MAX_FEED: usize = MAX_FEED_BYTES as usize;

/// A feed to record, with the name it was uploaded under.
pub struct CheckedFeed {
    /// The name.
    pub file_name: FileName,
    /// Its content.
    pub feed: ReleaseFeed,
}

/// The facts that a feed is compared with.
pub struct Compared<'a> {
    /// The updater that the files are for.
    pub updater: Updater,
    /// The release's version.
    pub version: &'a Version,
    /// The files of the upload. Lengths and digests that are not known yet are not compared.
    pub files: &'a [FileEntry],
    /// Files of earlier uploads, which feeds may also name.
    pub stored: &'a [FileName],
    /// The rollout of the release.
    pub rollout: BasisPoints,
}

/// Parses the updater's feeds and compares them with the files; an error says why they do not match. `None`: the
/// updater has no feed. Feeds of other updaters, which some tools also write, are ignored.
pub fn check(
    compared: &Compared<'_>,
    feeds: &[(FeedName, Bytes)],
) -> Result<Option<CheckedFeed>, PublishError> {
    let Compared { updater, version, files, stored, rollout } = *compared;
    let own = || feeds.iter().filter(|(name, _)| name.updater() == updater);
    let contents: Vec<&[u8]> = own().map(|(_, bytes)| bytes.as_ref()).collect();
    let facts = UploadFacts { version, files, stored, rollout };
    let in_file = |error: FeedError| match own()
        .find(|(_, bytes)| updater.read_feeds(&[&bytes[..]], &facts).is_err())
    {
        Some((name, _)) => error.in_file(name.as_file_name().as_str()),
        None => error,
    };
    let feed = updater.read_feeds(&contents, &facts).map_err(in_file)?;
    let file_name = own().next().map(|(name, _)| name.as_file_name().clone());
    Ok(feed.zip(file_name).map(|(feed, file_name)| CheckedFeed { file_name, feed }))
}

/// The files of earlier uploads that a feed of this updater may name. Not asked for if it has no feed.
pub fn nameable_files(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    updater: Updater,
) -> Result<Vec<FileName>, SqlError> {
    if updater.keeps_file_names() {
        artifacts::file_names(conn, app, target, updater)
    } else {
        Ok(Vec::new())
    }
}

/// Like [`check`], for staged feeds and files; sizes come from the storage.
pub(crate) async fn check_staged<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    session: &UploadSession,
    metas: &[ObjectMeta],
    rollout: BasisPoints,
) -> Result<Option<CheckedFeed>, PublishError> {
    let updater = session.release.updater;
    let mut feeds = Vec::new();
    let mut files = Vec::new();
    for (file, meta) in session.files.iter().zip(metas) {
        match FeedName::try_from(file.name.clone()) {
            Ok(name) if file.is_feed() => {
                let bytes = storage.get(&staged(&session.id, &file.name)?, MAX_FEED).await?;
                feeds.push((name, bytes.ok_or_else(|| PublishError::FilesMissing(vec![file.name.clone()]))?));
            }
            _ => files.extend(entry(file, meta.size)),
        }
    }
    let stored = nameable_files(conn, &session.app_id, &session.target, updater)?;
    let version = &session.release.version;
    check(&Compared { updater, version, files: &files, stored: &stored, rollout }, &feeds)
}

/// The digests that a feed lists for a file.
pub(crate) fn digests_of(feed: &CheckedFeed, file: &SessionFile) -> Vec<FeedDigests> {
    feed.feed.digests().into_iter().filter(|digests| digests.file_name == file.name.as_str()).collect()
}

/// A staged artifact in the form that feeds are compared with. `None` without a well-formed MD5, which sessions always
/// have.
fn entry(file: &SessionFile, size: u64) -> Option<FileEntry> {
    let digests = file.digests()?;
    Some(FileEntry {
        name: file.name.clone(),
        md5: digests.md5.parse().ok()?,
        sha256: digests.sha256.clone(),
        sha512: digests.sha512.clone(),
        length: Some(size),
    })
}
