//! Signed update metadata according to [TUF 1.0](https://theupdateframework.github.io/specification/latest/):
//! types, canonical form, keys, signatures and rules. Time, keys and random bytes are arguments.

mod canonical;
mod delegation;
mod error;
mod fields;
mod file_meta;
mod head;
mod json;
mod keep;
mod key;
mod key_id;
mod lifetime;
mod name;
mod next;
mod proposal;
mod refresh;
mod role;
mod role_keys;
mod root;
mod rules_root;
mod rules_targets;
mod secret;
mod service_keys;
mod signature;
mod signed;
mod signing_key;
mod snapshot;
mod target;
mod targets;
#[cfg(test)]
mod test_world;
mod timestamp;

pub use delegation::Delegations;
pub use error::{TrustError, What};
pub use file_meta::FileMeta;
pub use head::{Expires, Head, InvalidExpires, MetadataVersion};
pub use keep::Keep;
pub use key::{PublicKey, PublicKeys};
pub use key_id::{InvalidKeyId, KeyId};
pub use lifetime::{Lifetime, Lifetimes};
pub use name::{AskedTarget, HashPrefix, InvalidTargetName, TargetName, asked_targets};
pub use next::{NewFile, NewLists, SigningContext, next_files};
pub use proposal::{Proposal, TrustedMetadata, validate_proposal};
pub use refresh::{
    Again, Expirations, ServiceLifetimes, due_at, may_retry, refresh, waits_for_failures_since,
};
pub use role::{InvalidRole, MetadataFile, Role, RoleName};
pub use role_keys::{Appointed, RoleKeys, Signers};
pub use root::RootRole;
pub use rules_root::{TargetsSigner, check_root, check_root_history};
pub use rules_targets::{TargetsRules, check_channel_targets, check_targets};
pub use secret::Secrets;
pub use service_keys::{Generation, Generations, Purpose, ServiceKeyIds, ServiceKeys};
pub use signature::Signature;
pub use signed::{Signed, Signing};
pub use signing_key::SigningKey;
pub use snapshot::SnapshotRole;
pub use target::{Custom, InvalidRepositoryName, RepositoryName, TargetFile};
pub use targets::TargetsRole;
pub use timestamp::TimestampRole;
