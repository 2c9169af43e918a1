//! Users, their credentials, and groups of devices.

pub mod device_groups;
pub mod download_tokens;
pub mod tokens;
pub mod users;
