//! Repositories of signed update metadata: loading, signing and storing what is current.

pub mod answered;
mod apply_listing;
mod bucket;
mod channel_signers;
mod commit;
mod config;
pub mod digests;
mod end;
mod error;
pub mod events;
mod failure;
mod lease;
mod leaving;
mod post;
mod problems;
pub mod recorded_targets;
mod refresh;
mod repository;
mod service_keys;
mod service_targets;
mod staged;
mod start;
mod sync_targets;
#[cfg(test)]
mod test_artifacts;
mod upkeep;
mod validate;

pub use channel_signers::has_signers;
pub use config::{SettingsChange, configure, invalid_setting};
pub use end::{Ending, end, end_with_app};
pub use error::RepositoryError;
pub use leaving::{Leaving, OffList, put_back, take_off_list};
pub use post::{post, sign};
pub use problems::problems;
pub use refresh::{recover, refresh_if_due, sign_again};
pub use repository::{ListHead, Repository};
pub use service_keys::Keys;
pub use staged::{Staged, drop_staged, staged};
pub use start::{Start, default_settings, start};
pub use sync_targets::{sync_targets, sync_targets_after_change, targets_signer, try_sync_targets};
pub use upkeep::{Upkeep, keep_up};
