//! The current metadata of a repository, verified from the pinned root as clients do ([TUF 1.0,
//! section
//! 5](https://theupdateframework.github.io/specification/latest/#detailed-client-workflow)). New
//! metadata is based only on metadata that was verified here.

mod ending;
mod memory;
mod pinned;
mod source;
mod verify;

pub(crate) use ending::Ending;
pub(crate) use memory::{Memory, SeenVersions};
pub(crate) use pinned::PinnedRoot;
pub(crate) use source::{Bucket, ServiceSource, Source};
pub(crate) use verify::{View, view};

#[cfg(test)]
mod tests;
