//! `/tuf/repository/...`: repositories as clients read them.

mod access;
pub(crate) mod file;
mod lists;
mod path;
pub(crate) mod target;
