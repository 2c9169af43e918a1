//! Adding files to releases: what every way to upload has in common.
//!
//! Files become staged objects of an upload session, are compared with what was declared and with their feeds, and are
//! then published: claimed, copied to their final keys, recorded in one transaction.

mod claim;
mod declared;
mod digests;
pub mod feeds;
pub mod finish;
pub mod form;
mod limits;
pub mod place;
mod receive;
mod record;
pub mod session;
