//! Adding files to releases: the steps that all kinds of upload share.
//!
//! Files become staged objects of an upload session and are compared with the declaration and with their
//! feeds. They are then published: claimed, copied to their final keys, and recorded in one transaction.
//!
//! The crate is apart from `service`, so that components that accept no files do not depend on it.

mod claim;
mod declared;
mod digests;
mod error;
mod failure;
pub mod feeds;
pub mod finish;
pub mod form;
mod limits;
pub mod place;
mod receive;
mod record;
pub mod session;
mod terms;

pub use error::PublishError;
