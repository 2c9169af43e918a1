//! The work that an item needs.

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
    /// Its files are here already. The item is its outcome if they are equal.
    ToCompare(Item, Vec<Pair>),
    ToDo(Item, Work),
}

/// An item after all comparing, and the work that it needs.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) item: Item,
    /// `None`: nothing.
    pub(super) work: Option<Work>,
}

/// The work that creates an item.
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

/// An application to create.
#[derive(Debug)]
pub(super) struct NewApp {
    pub(super) data: AppData,
    pub(super) logo: Option<Link>,
}

/// A report key to set.
#[derive(Debug)]
pub(super) struct NewKey {
    pub(super) app: String,
    pub(super) key: Secret,
}

/// A team user to create.
#[derive(Debug)]
pub(super) struct NewUser {
    pub(super) name: String,
    pub(super) granted: Granted,
}

/// Files to upload in one go.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) data: ReleaseData,
    pub(super) files: Vec<RemoteFile>,
    /// Feeds, which are small.
    pub(super) feeds: Vec<Feed>,
    /// Files of the release that are here already. Feeds may name them.
    pub(super) here: Vec<FileName>,
}

/// A feed of the old server.
#[derive(Debug)]
pub(super) struct Feed {
    pub(super) file: RemoteFile,
    /// Empty until it was read.
    pub(super) bytes: Arc<[u8]>,
}

/// A file of the old server, under the name that it gets here.
#[derive(Debug, Clone)]
pub(super) struct RemoteFile {
    pub(super) name: FileName,
    pub(super) link: Link,
}

/// A file of the old server, and the one here that should be the same.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) name: FileName,
    pub(super) old: Link,
    /// Bytes of the file here.
    pub(super) size: u64,
}

impl Planned {
    /// Nothing is to be done.
    pub(super) const fn settled(item: Item) -> Self {
        Self::Settled(item)
    }

    pub(super) const fn to_do(item: Item, work: Work) -> Self {
        Self::ToDo(item, work)
    }
}
