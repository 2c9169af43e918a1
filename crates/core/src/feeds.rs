//! The feed formats of native updaters: reading what their tools write, checking it against an upload, keeping what
//! belongs to one release, and writing the feed that a client asks for.
//!
//! The way of a feed: it is read when it arrives, and compared with the files that come with it
//! ([`Updater::read_feeds`](crate::Updater::read_feeds)); the resulting [`ReleaseFeed`] is stored with the release; and
//! [`UpdaterRecord::answer`] makes the answer of any client from the stored feeds of a scope's releases. Nothing here reads
//! the stored files again.
//!
//! Each format is a folder, with what `format.rs` says a format has to say, and a line in `list.rs`.

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
mod testing;
mod text;
mod velopack;

pub(crate) use answer::Offer;
pub use answer::{CheckAnswer, NativeAnswer, NativeQuestion};
pub use chain::MAX_DELTAS;
pub(crate) use chain::{FeedLinks, FeedRelease};
pub use digests::FeedDigests;
pub use error::{FeedError, Place};
pub use facts::UploadFacts;
pub use formats::ReleaseFeed;
pub(crate) use list::feed_formats;
pub use record::{FeedPart, UpdaterRecord};
pub use velopack::velopack_channel;

/// Most entries of one feed: packages, files, items. Far above what any tool keeps, and little memory.
pub const MAX_FEED_ENTRIES: usize = 10_000;
