//! The feed formats of native updaters: reads the files that their tools write, checks them against
//! an upload, keeps the part about one release, and writes the feed that a client requests.
//!
//! A feed is read when it arrives and compared with the files of the same upload
//! ([`Updater::read_feeds`](crate::Updater::read_feeds)). The resulting [`ReleaseFeed`] is stored with the
//! release. [`UpdaterRecord::answer`] builds each client's answer from the stored feeds of a scope's
//! releases. The stored files are not read again.
//!
//! Each format is a folder whose `format.rs` implements the traits of `feeds/format.rs`, and a line
//! in `list.rs`. A new format changes no other file than this one (its `mod`) and the list. Two
//! macros read the list: one makes the enum `Updater`, which does not depend on formats, and the
//! other the stored type [`ReleaseFeed`]. With a single macro, records of scopes (which name
//! updaters) and formats (which get the releases of scopes) would depend on each other.

mod answer;
mod chain;
mod digests;
mod electron;
mod error;
mod facts;
mod format;
mod formats;
mod history;
mod list;
mod manual;
mod prune;
mod record;
mod sparkle;
mod squirrel;
mod squirrel_mac;
mod tauri;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod updater;
mod velopack;

pub(crate) use answer::FeedOffer;
pub use answer::{CheckAnswer, NativeAnswer, NativeQuestion};
pub use chain::MAX_DELTAS;
pub(crate) use chain::{FeedLinks, FeedRelease};
pub use digests::FeedDigests;
pub use electron::FILES_FOLDER;
pub use error::{FeedError, FeedPlace};
pub use facts::UploadFacts;
pub use formats::ReleaseFeed;
pub(crate) use list::feed_formats;
pub use record::{FeedPart, UpdaterRecord};
pub use updater::{InvalidUpdaters, PlatformUpdater, PlatformUpdaters, UnsupportedUpdater, Updater};
pub use velopack::{VelopackChannel, velopack_channel};

/// Maximum number of entries in a feed: packages, files, items. Far more than any tool writes, and
/// little memory.
pub const MAX_FEED_ENTRIES: usize = 10_000;
