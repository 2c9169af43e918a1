//! `/tuf/repository/...`: repositories as clients read them.

mod access;
mod current_lists;
pub(crate) mod file;
mod path;
mod refresh;
pub(crate) mod target;

/// The beginning of all these paths.
pub(crate) const ROOT: &str = "/tuf/repository/";
