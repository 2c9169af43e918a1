//! The pages. Each loads its content through the service's API.

pub(crate) mod application;
pub(crate) mod client;
pub(crate) mod device;
pub(crate) mod device_groups;
pub(crate) mod failures;
pub(crate) mod find;
pub(crate) mod freezes;
pub(crate) mod halt;
pub(crate) mod history;
pub(crate) mod invitation;
pub(crate) mod login;
pub(crate) mod overview;
pub(crate) mod people;
pub(crate) mod prove;
pub(crate) mod publish;
pub(crate) mod release;
pub(crate) mod setup;
pub(crate) mod shutoffs;
pub(crate) mod signup;
pub(crate) mod sso;
pub(crate) mod telemetry;
pub(crate) mod trust;
