//! Kept records in the key-value store: each answers the clients of one scope or one application in a single
//! read.
//!
//! A record is derived from the database when it is missing or too old, and after every change. A missing
//! record never means that something does not exist. See `docs/adr/0002-scope-records.md`. There are four
//! kinds: [`scopes`] for checks, [`updaters`] for native updaters, [`latest`] for the newest builds, and
//! [`names`] for requests with names that do not exist. All follow the rules in this module.

pub mod answered;
mod format;
mod kept;
mod keys;
mod known;
pub mod latest;
pub mod names;
mod of_scope;
pub mod origin;
mod published;
mod record;
mod renewal;
mod revisions;
pub mod scopes;
pub mod updaters;
mod whole;

pub(crate) use known::{Known, known};
pub use record::Loaded;
pub use whole::{Whole, whole};
