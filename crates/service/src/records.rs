//! Records in the key-value store: each answers the clients of one scope or one application in a single read.
//!
//! A record is derived from the database when it is missing or too old, and after every change. A missing
//! record never means that something does not exist. See `docs/adr/0002-scope-records.md`. There are four
//! kinds: [`scopes`] for checks, [`updaters`] for native updaters, [`latest`] for the newest builds, and
//! [`known_names`] for requests with names that do not exist. All follow the rules in this module.

pub mod answerable;
pub mod explanation;
pub mod feed_files;
mod format;
mod keys;
pub mod known_names;
pub mod latest;
pub mod origin;
mod record;
mod renewal;
mod resolved_scope;
mod revisions;
mod scope_releases;
mod scoped_records;
pub mod scopes;
mod stored_record;
pub mod updaters;

pub use record::Loaded;
pub(crate) use resolved_scope::{ResolvedScope, resolve};
