//! Feeds of any format.

use serde::{Deserialize, Serialize};

use super::{
    Appcast, ElectronInfo, ElectronYml, FeedError, PackageKind, Releases, SparkleFeed, SquirrelFeed,
    UploadFacts, VelopackAsset, VelopackAssetKind, VelopackFeed, VelopackIndex, electron, sparkle, squirrel,
    velopack,
};
use crate::{FeedKind, Updater, Version};

/// A feed as its tool wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Feed {
    /// `RELEASES` of Squirrel.Windows.
    SquirrelWindows(Releases),
    /// `*.yml` of electron-builder.
    Electron(ElectronYml),
    /// `releases.{channel}.json` of Velopack.
    Velopack(VelopackIndex),
    /// `appcast*.xml` of Sparkle.
    Sparkle(Appcast),
}

/// What is kept of the feeds of one release in one scope. In JSON an object told apart by `updater`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "updater")]
pub enum ReleaseFeed {
    /// Of `RELEASES`.
    #[serde(rename = "squirrel_windows")]
    SquirrelWindows(SquirrelFeed),
    /// Of `*.yml`.
    #[serde(rename = "electron-builder")]
    Electron(ElectronInfo),
    /// Of `releases.{channel}.json`.
    #[serde(rename = "velopack")]
    Velopack(VelopackFeed),
    /// Of `appcast*.xml`.
    #[serde(rename = "sparkle")]
    Sparkle(SparkleFeed),
}

impl ReleaseFeed {
    /// The updater whose clients read it.
    pub const fn updater(&self) -> Updater {
        match self {
            Self::SquirrelWindows(_) => Updater::SquirrelWindows,
            Self::Electron(_) => Updater::ElectronBuilder,
            Self::Velopack(_) => Updater::Velopack,
            Self::Sparkle(_) => Updater::Sparkle,
        }
    }

    /// The version that its delta starts from. `None`: it has no delta, or what that starts from is not known.
    pub(super) fn delta_from(&self) -> Option<&Version> {
        match self {
            Self::SquirrelWindows(feed) => feed.delta_from(),
            Self::Velopack(feed) => feed.delta_from(),
            Self::Electron(_) | Self::Sparkle(_) => None,
        }
    }

    /// What is left of it where only its delta is needed, as a step on the way to another release, and the delta's name.
    pub(super) fn only_delta(&self) -> Option<(Self, &str)> {
        match self {
            Self::SquirrelWindows(feed) => {
                let delta = feed.package(PackageKind::Delta)?;
                let feed =
                    SquirrelFeed { packages: vec![delta.clone()], delta_base: feed.delta_base.clone() };
                Some((Self::SquirrelWindows(feed), &delta.file_name))
            }
            Self::Velopack(feed) => {
                let delta = feed.asset(VelopackAssetKind::Delta)?;
                let step = VelopackAsset { notes_markdown: None, notes_html: None, ..delta.clone() };
                let feed = VelopackFeed { assets: vec![step], delta_base: feed.delta_base.clone() };
                Some((Self::Velopack(feed), &delta.file_name))
            }
            Self::Electron(_) | Self::Sparkle(_) => None,
        }
    }

    /// What is left of it where only some files are there: a feed never names a file that is not. `None`: nothing
    /// that a client could install.
    #[must_use]
    pub fn only_with(self, is_there: &dyn Fn(&str) -> bool) -> Option<Self> {
        match self {
            Self::SquirrelWindows(mut feed) => {
                feed.packages.retain(|package| is_there(&package.file_name));
                feed.package(PackageKind::Full)?;
                Some(Self::SquirrelWindows(feed))
            }
            Self::Electron(mut info) => {
                info.files.retain(|file| is_there(&file.file_name));
                info.packages.retain(|package| is_there(&package.file.file_name));
                (!info.files.is_empty()).then_some(Self::Electron(info))
            }
            Self::Velopack(mut feed) => {
                feed.assets.retain(|asset| is_there(&asset.file_name));
                feed.asset(VelopackAssetKind::Full)?;
                Some(Self::Velopack(feed))
            }
            Self::Sparkle(SparkleFeed::Items(mut feed)) => {
                feed.items.retain(|item| item.enclosures.iter().all(|e| is_there(&e.file_name)));
                (!feed.items.is_empty()).then_some(Self::Sparkle(SparkleFeed::Items(feed)))
            }
            Self::Sparkle(SparkleFeed::Signed(feed)) => {
                let is_whole = feed.file_names.iter().all(|name| is_there(name));
                is_whole.then_some(Self::Sparkle(SparkleFeed::Signed(feed)))
            }
        }
    }
}

/// Reads a feed.
pub fn parse(kind: FeedKind, bytes: &[u8]) -> Result<Feed, FeedError> {
    match kind {
        FeedKind::SquirrelReleases => squirrel::parse(bytes).map(Feed::SquirrelWindows),
        FeedKind::ElectronYml => electron::parse(bytes).map(Feed::Electron),
        FeedKind::VelopackReleases => velopack::parse(bytes).map(Feed::Velopack),
        FeedKind::Appcast => sparkle::parse(bytes).map(Feed::Sparkle),
    }
}

/// Checks the feeds of an upload for `updater` against its files, and gives what is to be stored: nothing where the
/// updater has no feed. Feeds of other updaters are not looked at; several feeds of the updater (one for each channel
/// of its own) are read as one.
pub fn check(
    updater: Updater,
    feeds: &[Feed],
    facts: &UploadFacts<'_>,
) -> Result<Option<ReleaseFeed>, FeedError> {
    match updater {
        Updater::SquirrelWindows => {
            let feeds =
                feeds.iter().filter_map(|f| if let Feed::SquirrelWindows(f) = f { Some(f) } else { None });
            squirrel::check(&Releases::merge(feeds)?, facts).map(ReleaseFeed::SquirrelWindows).map(Some)
        }
        Updater::ElectronBuilder => {
            let feeds = feeds.iter().filter_map(|f| if let Feed::Electron(f) = f { Some(f) } else { None });
            electron::check(&ElectronYml::merge(feeds)?, facts).map(ReleaseFeed::Electron).map(Some)
        }
        Updater::Velopack => {
            let feeds = feeds.iter().filter_map(|f| if let Feed::Velopack(f) = f { Some(f) } else { None });
            velopack::check(&VelopackIndex::merge(feeds)?, facts).map(ReleaseFeed::Velopack).map(Some)
        }
        Updater::Sparkle => {
            let feeds = feeds.iter().filter_map(|f| if let Feed::Sparkle(f) = f { Some(f) } else { None });
            sparkle::check(&Appcast::merge(feeds)?, facts).map(ReleaseFeed::Sparkle).map(Some)
        }
        Updater::Manual | Updater::SquirrelDarwin | Updater::Tauri => Ok(None),
    }
}
