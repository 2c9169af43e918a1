//! Users, their credentials, invitations, and groups of devices.

pub mod device_groups;
pub mod download_tokens;
pub mod invitations;
pub mod logins;
pub mod publishers;
pub mod tokens;
pub mod users;
