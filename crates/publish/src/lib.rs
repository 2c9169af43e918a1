//! Adding files to releases: what every way to upload has in common.
//!
//! Files become staged objects of an upload session, are compared with what was declared and with their feeds, and are
//! then published: claimed, copied to their final keys, recorded in one transaction.

mod contents;
pub mod feeds;
pub mod intake;
pub mod place;
pub mod plan;
mod record;
pub mod staged;
mod stream;
mod verify;
