//! Repositories of signed update metadata: loading, signing and storing what is current.

pub mod answered;
mod bucket;
pub mod digests;
pub mod events;
mod exclusive;
mod failure;
mod judge;
pub mod listed;
pub mod mark;
mod post;
pub mod recorded;
mod refresh;
mod repository;
mod service_keys;
mod settle;
mod staged;
mod start;
#[cfg(test)]
mod test_artifacts;
mod upkeep;

pub use exclusive::{Exclusive, exclusively};
pub use failure::{no_repository, refused};
pub use post::{post, sign};
pub use refresh::{recover, refresh_if_due, repair, sign_again};
pub use repository::{ListHead, Repository};
pub use service_keys::Keys;
pub use staged::{Staged, drop_staged, staged};
pub use start::{Start, default_settings, start};
pub use upkeep::{Upkeep, keep_up};
