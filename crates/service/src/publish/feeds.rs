//! The feeds of an upload: parsed, compared with its files, and prepared for recording.

use bytes::Bytes;
use spindrift_core::feeds::{FeedDigests, FeedError, ReleaseFeed, UploadFacts};
use spindrift_core::{
    BasisPoints, FeedName, FileEntry, FileName, Id, MAX_FEED_BYTES, SessionFile, Target, Updater,
    UploadSession, Version,
};
use spindrift_db::{SqlConn, SqlError, artifacts};
use spindrift_storage::{ObjectMeta, Storage};

use super::error::PublishError;
use crate::Ports;
use crate::objects::staged::staged_location;

/// Maximum size of a feed file, in bytes.
#[expect(clippy::cast_possible_truncation, reason = "10 MiB fits every usize")]
const MAX_FEED: usize = MAX_FEED_BYTES as usize;

/// A feed to record, with the name it was uploaded under.
pub struct CheckedFeed {
    pub updater: Updater,
    pub file_name: FileName,
    pub feed: ReleaseFeed,
}

/// Facts about an upload that its feeds have to match.
pub struct FeedContext<'a> {
    /// The updater that the files are for.
    pub updater: Updater,
    pub version: &'a Version,
    /// The destination of the upload.
    pub target: &'a Target,
    /// The files of the upload. Unknown lengths and digests are not compared.
    pub files: &'a [FileEntry],
    /// Files of earlier uploads, which feeds may also name.
    pub stored: &'a [FileName],
    pub rollout: BasisPoints,
}

/// Parses the feeds and compares them with the files; an error names the mismatch. Returns one feed for each
/// updater that the upload has feeds for, that of the upload's own updater first.
pub fn check(
    context: &FeedContext<'_>,
    feeds: &[(FeedName, Bytes)],
) -> Result<Vec<CheckedFeed>, PublishError> {
    let FeedContext { updater, version, target, files, stored, rollout } = *context;
    let facts = UploadFacts { version, files, stored, has_archs: target.arch_id.is_some(), rollout };
    let others = Updater::ALL.into_iter().filter(|other| *other != updater);
    let mut checked = Vec::new();
    for updater in std::iter::once(updater).chain(others) {
        let own = || feeds.iter().filter(|(name, _)| name.updater() == updater);
        let Some((name, _)) = own().next() else { continue };
        let contents: Vec<&[u8]> = own().map(|(_, bytes)| bytes.as_ref()).collect();
        let is_wrong = |bytes: &[u8]| updater.read_feeds(&[bytes], &facts).is_err();
        let in_file = |error: FeedError| match own().find(|(_, bytes)| is_wrong(bytes)) {
            Some((name, _)) => error.in_file(name.as_file_name().as_str()),
            None => error,
        };
        if let Some(feed) = updater.read_feeds(&contents, &facts).map_err(in_file)? {
            checked.push(CheckedFeed { updater, file_name: name.as_file_name().clone(), feed });
        }
    }
    Ok(checked)
}

/// The files of earlier uploads that this upload's feeds may name. The database is not queried without feeds.
pub fn nameable_files<'a>(
    conn: &impl SqlConn,
    app: &Id,
    target: &Target,
    mut names: impl Iterator<Item = &'a FileName>,
) -> Result<Vec<FileName>, SqlError> {
    if names.any(FileName::is_feed) { artifacts::file_names(conn, app, target) } else { Ok(Vec::new()) }
}

/// Like [`check`], for staged feeds and files; sizes come from the storage.
pub(crate) async fn check_staged<P: Ports>(
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    upload: &UploadSession,
    metas: &[ObjectMeta],
    rollout: BasisPoints,
) -> Result<Vec<CheckedFeed>, PublishError> {
    let updater = upload.release.updater;
    let mut feeds = Vec::new();
    let mut files = Vec::new();
    for (file, meta) in upload.files.iter().zip(metas) {
        match FeedName::try_from(file.name.clone()) {
            Ok(name) if file.is_feed() => {
                let bytes = storage.get(&staged_location(&upload.id, &file.name)?, MAX_FEED).await?;
                feeds.push((name, bytes.ok_or_else(|| PublishError::FilesMissing(vec![file.name.clone()]))?));
            }
            _ => files.extend(entry(file, meta.size)),
        }
    }
    let target = &upload.target;
    let stored = nameable_files(conn, &upload.app_id, target, upload.files.iter().map(|file| &file.name))?;
    let version = &upload.release.version;
    check(&FeedContext { updater, version, target, files: &files, stored: &stored, rollout }, &feeds)
}

/// The digests that the feeds list for a file.
pub(crate) fn digests_of(feeds: &[CheckedFeed], file: &SessionFile) -> Vec<FeedDigests> {
    let digests = feeds.iter().flat_map(|feed| feed.feed.digests());
    digests.filter(|digests| digests.file_name == file.name.as_str()).collect()
}

/// A staged artifact in the form for comparing feeds. `None`: its MD5 is missing or malformed, which never
/// happens in sessions.
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
