//! Use cases that several components share: who calls, scope records, links, settings.

pub mod answers;
pub mod changes;
mod failure;
pub mod latest_records;
pub mod links;
mod log;
pub mod management;
pub mod native;
pub mod objects;
pub mod origin;
mod ports;
pub mod principal;
pub mod private_links;
pub mod rate_limits;
mod record_format;
mod record_keys;
pub mod records;
mod renewal;
pub mod report_blobs;
pub mod report_keys;
pub mod scope_path;
pub mod scopes;
mod serve;
pub mod settings;
pub mod staging;
pub mod static_answers;
pub mod telemetry;
mod token_use;
pub mod updater_records;

pub use failure::Failure;
pub use ports::Ports;
pub use serve::{serve, serve_with_after};
