//! Adds files to releases: the steps that all kinds of uploads share.
//!
//! Files become staged objects of an upload session, and are compared with the declaration and with
//! their feeds. Publishing claims their final keys, copies them there, and records them in one
//! transaction.
//!
//! This crate is separate from `service`, so that components that accept no files do not depend on
//! it.

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
