//! Use cases shared by several components: callers, scope records, links, settings.

pub mod answers;
pub mod changes;
mod failure;
pub mod links;
mod log;
pub mod management;
pub mod objects;
mod ports;
pub mod principal;
pub mod rate_limits;
pub mod records;
pub mod report_blobs;
pub mod report_keys;
pub mod scope_path;
mod serve;
pub mod settings;
pub mod staging;
pub mod static_answers;
pub mod telemetry;
mod token_use;

pub use failure::Failure;
pub use ports::Ports;
pub use serve::{serve, serve_with_after};
