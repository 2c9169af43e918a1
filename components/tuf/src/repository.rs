//! `/tuf/repository/...`: repositories as clients read them.

mod access;
pub(crate) mod file;
mod lists;
mod path;
pub(crate) mod target;
mod upkeep;

/// The beginning of all these paths.
pub(crate) const ROOT: &str = "/tuf/repository/";
