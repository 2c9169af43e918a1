//! The current metadata of a repository, verified from the pinned root as clients do ([TUF 1.0,
//! section
//! 5](https://theupdateframework.github.io/specification/latest/#detailed-client-workflow)). New
//! metadata is based only on metadata that was verified here.

mod pinned;
mod role_expiry;
mod seen_versions;
mod source;
mod verify;

pub(crate) use pinned::PinnedRoot;
pub(crate) use role_expiry::RoleExpiry;
pub(crate) use seen_versions::{SeenVersions, SeenVersionsFile};
pub(crate) use source::{BucketSource, MetadataSource, ServiceSource};
pub(crate) use verify::{View, view};

#[cfg(test)]
mod tests;
