//! The work that is left for an item.

use std::sync::Arc;

use spindrift_api::{AppData, ArchBody, ChannelBody, PlatformBody, ReleaseData};
use spindrift_core::FileName;

use super::item::ImportItem;
use super::link::FileLink;
use super::names::NamedPermissions;
use crate::secret::Secret;

/// An item, and the work that is left for it.
#[derive(Debug)]
pub(super) enum PlannedItem {
    Final(ImportItem),
    /// This service has the files. The item holds the outcome to report if they are equal.
    ToCompare(ImportItem, Vec<FilePair>),
    ToDo(ImportItem, ItemWork),
}

/// An item after all comparisons, and the work that is left for it.
#[derive(Debug)]
pub(super) struct DecidedItem {
    pub(super) item: ImportItem,
    pub(super) work: Option<ItemWork>,
}

#[derive(Debug)]
pub(super) enum ItemWork {
    Channel(ChannelBody),
    Platform(PlatformBody),
    Architecture(ArchBody),
    Application(Box<NewApp>),
    ReportKey(NewKey),
    Upload(Box<PlannedUpload>),
    User(NewUser),
}

#[derive(Debug)]
pub(super) struct NewApp {
    pub(super) data: AppData,
    pub(super) logo: Option<FileLink>,
}

#[derive(Debug)]
pub(super) struct NewKey {
    pub(super) app: String,
    pub(super) key: Secret,
}

#[derive(Debug)]
pub(super) struct NewUser {
    pub(super) name: String,
    pub(super) granted: NamedPermissions,
}

/// Files that are uploaded together.
#[derive(Debug)]
pub(super) struct PlannedUpload {
    pub(super) data: ReleaseData,
    pub(super) files: Vec<RemoteFile>,
    /// Feeds, which are small.
    pub(super) feeds: Vec<RemoteFeed>,
    /// Other files of the release that this service has. Feeds may name them.
    pub(super) here: Vec<FileName>,
}

/// A feed of the old server.
#[derive(Debug)]
pub(super) struct RemoteFeed {
    pub(super) file: RemoteFile,
    /// Empty until the feed was read.
    pub(super) bytes: Arc<[u8]>,
}

/// A file of the old server, with its name on this service.
#[derive(Debug, Clone)]
pub(super) struct RemoteFile {
    pub(super) name: FileName,
    pub(super) link: FileLink,
}

/// A file of the old server, and the file of this service that should be equal.
#[derive(Debug)]
pub(super) struct FilePair {
    pub(super) name: FileName,
    pub(super) old: FileLink,
    /// Length of this service's file, in bytes.
    pub(super) size: u64,
}

impl PlannedItem {
    /// An item without further work.
    pub(super) const fn without_work(item: ImportItem) -> Self {
        Self::Final(item)
    }

    pub(super) const fn with_work(item: ImportItem, work: ItemWork) -> Self {
        Self::ToDo(item, work)
    }
}
