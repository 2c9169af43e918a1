//! `/tuf/repository/...`: repositories as clients read them.

mod access;
pub(crate) mod file;
mod lists;
mod path;
pub(crate) mod target;
mod upkeep;

/// Where the paths of all of them begin.
pub(crate) const ROOT: &str = "/tuf/repository/";
