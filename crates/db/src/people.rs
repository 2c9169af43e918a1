//! Users, their credentials, invitations, and groups of devices.

pub mod device_groups;
pub mod device_logins;
pub mod download_tokens;
pub mod invitations;
pub mod logins;
pub mod passkeys;
pub mod publishers;
pub mod tokens;
pub mod used_proofs;
pub mod users;
