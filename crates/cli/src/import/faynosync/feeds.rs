//! Reads the feeds of uploads before anything is created: they determine the files that can be
//! uploaded.

use std::collections::BTreeMap;
use std::sync::Arc;

use spindrift_core::feeds::{FeedError, UploadFacts};
use spindrift_core::{
    BasisPoints, FeedName, FileEntry, FileName, MAX_FEED_BYTES, Md5Digest, Updater, Version,
};

use super::fetch::{MissingFile, small};
use super::item::{ImportItem, ItemOutcome};
use super::link::FileLink;
use super::public_feed::{self, FeedAssets};
use super::server::FaynoSyncServer;
use super::work::{ItemWork, PlannedItem, PlannedUpload};
use crate::error::CliError;

/// Suffix of Velopack packages.
const PACKAGE: &str = ".nupkg";
/// Suffix of Velopack deltas.
const DELTA: &str = "-delta.nupkg";
/// Placeholder for a digest that is not known yet. No feed contains an MD5.
const UNKNOWN_MD5: &str = "00000000000000000000000000000000";

/// The bytes of a file, or why they are not available.
type FileBytes = Result<Arc<[u8]>, String>;

/// Caches feeds and files, because releases share feeds.
struct FeedReader<'a> {
    server: &'a FaynoSyncServer,
    /// By [`FileLink::identity`].
    files: BTreeMap<String, FileBytes>,
    /// By path.
    public: BTreeMap<String, Arc<FeedAssets>>,
}

/// Reads the feeds of all uploads. Refuses uploads that do not fit their feeds, and leaves the
/// others unchanged.
///
/// # Errors
/// The old server or its storage fails.
pub(super) async fn read(
    server: &FaynoSyncServer,
    planned: Vec<PlannedItem>,
) -> Result<Vec<PlannedItem>, CliError> {
    let mut reader = FeedReader { server, files: BTreeMap::new(), public: BTreeMap::new() };
    let mut all = Vec::with_capacity(planned.len());
    for planned in planned {
        all.push(match planned {
            PlannedItem::ToDo(item, ItemWork::Upload(upload)) if !upload.feeds.is_empty() => {
                reader.decide(item, *upload).await?
            }
            other => other,
        });
    }
    Ok(all)
}

impl FeedReader<'_> {
    async fn decide(&mut self, item: ImportItem, mut upload: PlannedUpload) -> Result<PlannedItem, CliError> {
        for feed in &mut upload.feeds {
            match self.file(&feed.file.link).await? {
                Ok(bytes) => feed.bytes = bytes,
                Err(why) => return Ok(without_work(item, ItemOutcome::Refused, why)),
            }
        }
        let is_velopack = upload.data.updater.as_deref() == Some(Updater::Velopack.as_str());
        let left_out = if is_velopack {
            self.complete(&mut upload).await?;
            leave_out_deltas(&mut upload)
        } else {
            Vec::new()
        };
        let why = format!("without {}, which the old server's feed does not list", left_out.join(", "));
        if upload.files.is_empty() {
            return Ok(without_work(item, ItemOutcome::Note, why));
        }
        if let Err(why) = check(&upload) {
            return Ok(without_work(item, ItemOutcome::Refused, why));
        }
        let item = if left_out.is_empty() { item } else { item.with_reason(why) };
        Ok(PlannedItem::with_work(item, ItemWork::Upload(Box::new(upload))))
    }

    async fn file(&mut self, link: &FileLink) -> Result<FileBytes, CliError> {
        if let Some(known) = self.files.get(&link.identity()) {
            return Ok(known.clone());
        }
        let content: FileBytes = match small(self.server, link, MAX_FEED_BYTES).await {
            Ok(bytes) => Ok(bytes.into()),
            Err(MissingFile::File(why)) => Err(why),
            Err(MissingFile::All(error)) => return Err(error),
        };
        let _ = self.files.insert(link.identity(), content.clone());
        Ok(content)
    }

    /// Adds entries of this release that a later upload has removed from the uploaded feed. The
    /// feed that the old server generates for clients still has them.
    async fn complete(&mut self, upload: &mut PlannedUpload) -> Result<(), CliError> {
        let packages =
            upload.files.iter().map(|file| file.name.as_str()).filter(|name| name.ends_with(PACKAGE));
        let missing: Vec<String> =
            packages.filter(|name| !is_listed(upload, name)).map(str::to_owned).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let Some(path) = public_feed::path(self.server.owner(), &upload.data) else { return Ok(()) };
        let assets = if let Some(known) = self.public.get(&path) {
            Arc::clone(known)
        } else {
            let read = Arc::new(self.server.get_if_supported::<FeedAssets>(&path).await?.unwrap_or_default());
            let _ = self.public.insert(path, Arc::clone(&read));
            read
        };
        if let Some(feed) = upload.feeds.first_mut()
            && let Some(completed) = assets.with_missing_entries(&feed.bytes, &missing)
        {
            feed.bytes = completed.into();
        }
        Ok(())
    }
}

fn without_work(item: ImportItem, outcome: ItemOutcome, why: String) -> PlannedItem {
    PlannedItem::without_work(ImportItem { outcome, ..item }.with_reason(why))
}

fn is_listed(upload: &PlannedUpload, name: &str) -> bool {
    let name = name.as_bytes();
    upload.feeds.iter().any(|feed| feed.bytes.windows(name.len()).any(|window| window == name))
}

/// Removes deltas that no client can install, and returns their names: the old server omits a delta
/// from its feed once the release that it starts from is deleted.
fn leave_out_deltas(upload: &mut PlannedUpload) -> Vec<String> {
    let is_out = |name: &FileName| name.as_str().ends_with(DELTA) && !is_listed(upload, name.as_str());
    let names: Vec<FileName> =
        upload.files.iter().map(|file| file.name.clone()).filter(|name| is_out(name)).collect();
    upload.files.retain(|file| !names.contains(&file.name));
    names.into_iter().map(String::from).collect()
}

/// Validates the feeds as the service will, as far as that is possible without the files.
fn check(upload: &PlannedUpload) -> Result<(), String> {
    let data = &upload.data;
    let updater = data.updater.as_deref().and_then(|updater| updater.parse::<Updater>().ok());
    let version = data.version.parse::<Version>().ok();
    let (Some(updater), Some(version), Ok(md5)) = (updater, version, UNKNOWN_MD5.parse::<Md5Digest>()) else {
        return Ok(());
    };
    let entry =
        |name: &FileName| FileEntry { name: name.clone(), md5, sha256: None, sha512: None, length: None };
    let files: Vec<FileEntry> = upload.files.iter().map(|file| entry(&file.name)).collect();
    let is_own =
        |name: &FileName| FeedName::try_from(name.clone()).is_ok_and(|name| name.updater() == updater);
    let own: Vec<_> = upload.feeds.iter().filter(|feed| is_own(&feed.file.name)).collect();
    let contents: Vec<&[u8]> = own.iter().map(|feed| feed.bytes.as_ref()).collect();
    let rollout = data.rollout.map_or(BasisPoints::ALL, |percent| percent.0);
    let facts = UploadFacts {
        version: &version,
        files: &files,
        stored: &upload.here,
        has_archs: upload.data.arch.is_some(),
        rollout,
    };
    let in_file = |error: FeedError| match own.as_slice() {
        [only] => error.in_file(only.file.name.as_str()),
        _ => error,
    };
    updater.read_feeds(&contents, &facts).map(|_| ()).map_err(|error| in_file(error).to_string())
}
