//! The feed formats of native updaters: reading what their tools write, checking it against an upload, keeping what
//! belongs to one release, and writing the feed that a client asks for.
//!
//! The way of a feed: [`parse`] when it arrives, [`check`] together with the files that come with it, the resulting
//! [`ReleaseFeed`] is stored with the release, and the `render_` functions make the answer of any client from the
//! stored feeds of a scope's releases. Nothing here reads the stored files again.

mod chain;
mod digests;
mod electron;
mod error;
mod facts;
mod native;
mod prune;
mod record;
mod release;
mod sparkle;
mod squirrel;
mod squirrel_mac;
#[cfg(test)]
mod stored_tests;
mod tauri;
#[cfg(test)]
mod testing;
mod text;
mod velopack;

pub use chain::{FeedRelease, MAX_DELTAS};
pub use digests::FeedDigests;
pub use electron::{
    ElectronFile, ElectronInfo, ElectronNote, ElectronNotes, ElectronPackage, ElectronPart, ElectronYml,
    YmlOptions, render_yml,
};
pub use error::{FeedError, Place};
pub use facts::UploadFacts;
pub use native::{NativeAnswer, NativeFormat, NativeQuestion};
pub use record::{FeedPart, UpdaterRecord};
pub use release::{Feed, ReleaseFeed, check, parse};
pub use sparkle::{
    Appcast, AppcastEnclosure, AppcastItem, Namespace, SignedAppcast, SparkleEnclosure, SparkleFeed,
    SparkleItem, SparkleItems, render_appcast,
};
pub use squirrel::{
    PackageKind, Releases, ReleasesLine, SquirrelFeed, SquirrelPackage, Staging, render_releases,
};
pub use squirrel_mac::SquirrelMacBody;
pub use tauri::{TauriBody, check_tauri_signature};
pub use velopack::{VelopackAsset, VelopackAssetKind, VelopackFeed, VelopackIndex, render_velopack};

/// Most entries of one feed: packages, files, items. Far above what any tool keeps, and little memory.
pub const MAX_FEED_ENTRIES: usize = 10_000;
