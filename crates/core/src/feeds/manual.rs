//! No feed, for clients that read the service's own answer.

mod format;

pub(super) use format::{Manual, StoredForm};
