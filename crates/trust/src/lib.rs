//! Signed update metadata according to [TUF 1.0](https://theupdateframework.github.io/specification/latest/):
//! types, canonical form, keys, signatures and rules. Time, keys and random bytes are arguments.

mod canonical;
mod delegation;
mod error;
mod field_reader;
mod file_meta;
mod head;
mod json;
mod keep_count;
mod key;
mod key_id;
mod lifetime;
mod name;
mod next;
mod proposal;
mod renewal;
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
pub use error::{FaultText, TrustError};
pub use file_meta::FileMeta;
pub use head::{Expires, Head, InvalidExpires, MetadataVersion};
pub use keep_count::KeepCount;
pub use key::{PublicKey, PublicKeys};
pub use key_id::{InvalidKeyId, KeyId};
pub use lifetime::{Lifetime, Lifetimes};
pub use name::{HashPrefix, InvalidTargetName, RequestedTarget, TargetName, requested_targets};
pub use next::{NewFile, NewLists, SigningContext, next_files};
pub use proposal::{Proposal, TrustedMetadata, validate_proposal};
pub use renewal::{
    Expirations, Renewal, ServiceLifetimes, due_at, due_renewal, may_retry, waits_for_failures_since,
};
pub use role::{InvalidRole, MetadataFile, Role, RoleName};
pub use role_keys::{NewSigners, RoleKeys, Signers};
pub use root::RootRole;
pub use rules_root::{TargetsSigner, check_root, check_root_history};
pub use rules_targets::{TargetsRules, check_channel_targets, check_targets};
pub use secret::Secrets;
pub use service_keys::{Generation, Generations, Purpose, ServiceKeyIds, ServiceKeys};
pub use signature::Signature;
pub use signed::{Signed, Signing};
pub use signing_key::SigningKey;
pub use snapshot::SnapshotRole;
pub use target::{InvalidRepositoryName, RepositoryName, TargetCustom, TargetFile};
pub use targets::{TargetFiles, TargetsRole};
pub use timestamp::TimestampRole;
