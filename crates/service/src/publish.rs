//! Adding files to releases: the steps that all kinds of uploads share.
//!
//! Uploads come in two ways. With presigned URLs, the files go straight into the storage; with a form
//! ([`form`]), they pass through the service. Either way they become *staged objects* of an *upload session*:
//! private, and invisible to clients.
//!
//! 1. [`destination`] finds the application, channel, platform and architecture that the files are for, and
//!    checks the caller's permission. [`slots`] checks that the release has room for the files.
//! 2. [`upload_session`] and [`feeds`] check names, signature and feeds, before any bytes are transferred
//!    where that is possible.
//! 3. [`finish`] publishes the session: it compares the staged objects with the declaration and the feeds,
//!    claims their final keys, copies them there, and records everything in one transaction.
//!
//! Each step can be repeated, and a killed call leaves nothing that maintenance does not find. Components
//! that accept no files link none of this code, because nothing else in this crate uses it.

mod claim;
mod declaration;
pub mod destination;
mod digests;
mod error;
pub mod existing_release;
mod failure;
pub mod feeds;
pub mod finish;
pub mod form;
mod limits;
mod receive;
mod record;
pub mod slots;
mod terms;
pub mod upload_session;

pub use error::PublishError;
