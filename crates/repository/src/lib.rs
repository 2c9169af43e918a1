//! Repositories of signed update metadata: loading, signing and storing what is current.

mod accept;
pub mod answerable_releases;
mod app_keys;
mod app_repository;
mod apply_listing;
mod bucket;
mod change;
mod channel_signers;
mod commit;
mod config;
pub mod digests;
mod drop_staged;
mod end;
mod error;
pub mod events;
mod failure;
mod files;
mod lease;
mod pending_removal;
mod post;
mod problems;
pub mod recorded_targets;
mod refresh;
mod repeated_call;
mod repository;
mod service_targets;
mod sign;
mod staged;
mod start;
mod sync_targets;
#[cfg(test)]
mod test_artifacts;
mod upkeep;
mod validate;

pub use app_keys::AppKeys;
pub use app_repository::AppRepository;
pub use channel_signers::has_signers;
pub use config::{SettingsChange, invalid_setting};
pub use end::RepositoryRemoval;
pub use error::RepositoryError;
pub use pending_removal::{Delisting, PendingRemoval, delist, relist};
pub use problems::problems;
pub use repository::{ListHead, Repository};
pub use start::{Start, default_settings};
pub use upkeep::{Upkeep, keep_up};
