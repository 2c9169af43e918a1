//! The work that is left for an item.

use std::sync::Arc;

use spindrift_api::{AppData, ArchBody, ChannelBody, PlatformBody, ReleaseData};
use spindrift_core::FileName;

use super::item::Item;
use super::link::Link;
use super::names::Granted;
use crate::secret::Secret;

/// An item, and the work that is left for it.
#[derive(Debug)]
pub(super) enum Planned {
    Settled(Item),
    /// This service has the files. The item holds the outcome to report if they are equal.
    ToCompare(Item, Vec<Pair>),
    ToDo(Item, Work),
}

/// An item after all comparisons, and the work that is left for it.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) item: Item,
    pub(super) work: Option<Work>,
}

#[derive(Debug)]
pub(super) enum Work {
    Channel(ChannelBody),
    Platform(PlatformBody),
    Architecture(ArchBody),
    Application(Box<NewApp>),
    ReportKey(NewKey),
    Upload(Box<Upload>),
    User(NewUser),
}

#[derive(Debug)]
pub(super) struct NewApp {
    pub(super) data: AppData,
    pub(super) logo: Option<Link>,
}

#[derive(Debug)]
pub(super) struct NewKey {
    pub(super) app: String,
    pub(super) key: Secret,
}

#[derive(Debug)]
pub(super) struct NewUser {
    pub(super) name: String,
    pub(super) granted: Granted,
}

/// Files that are uploaded together.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) data: ReleaseData,
    pub(super) files: Vec<RemoteFile>,
    /// Feeds, which are small.
    pub(super) feeds: Vec<Feed>,
    /// Other files of the release that this service has. Feeds may name them.
    pub(super) here: Vec<FileName>,
}

/// A feed of the old server.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) file: RemoteFile,
    /// Empty until the feed was read.
    pub(super) bytes: Arc<[u8]>,
}

/// A file of the old server, with its name on this service.
#[derive(Debug, Clone)]
pub(super) struct RemoteFile {
    pub(super) name: FileName,
    pub(super) link: Link,
}

/// A file of the old server, and the file of this service that should be equal.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) name: FileName,
    pub(super) old: Link,
    /// Length of this service's file, in bytes.
    pub(super) size: u64,
}

impl Planned {
    /// An item without further work.
    pub(super) const fn settled(item: Item) -> Self {
        Self::Settled(item)
    }

    pub(super) const fn to_do(item: Item, work: Work) -> Self {
        Self::ToDo(item, work)
    }
}
