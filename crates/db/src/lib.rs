//! Repositories: SQL text and row mapping over a small connection trait.
//!
//! One module per noun. Every function runs one statement, so that a handler shows what a request costs.

pub mod adoption;
mod affected;
pub mod apps;
pub mod artifacts;
pub mod changes;
pub mod channel_includes;
pub mod claims;
mod conn;
pub mod device_hash_key;
pub mod dimensions;
pub mod download_tokens;
pub mod feed_files;
pub mod gathered_sightings;
pub mod incoming_uploads;
pub mod latest;
pub mod leases;
pub mod leaving;
pub mod listings;
pub mod maintenance;
pub mod metrics;
pub mod offered;
pub mod overview;
pub mod projections;
pub mod release_feeds;
pub mod release_objects;
pub mod release_places;
pub mod releases;
pub mod report_blobs;
pub mod report_events;
pub mod report_groups;
pub mod report_keys;
pub mod report_versions;
pub mod repositories;
pub mod repository_events;
pub mod repository_files;
pub mod repository_metadata;
pub mod repository_staged;
pub mod repository_upkeep;
mod row;
mod schema;
pub mod scope_versions;
pub mod scopes;
pub mod search;
pub mod telemetry;
pub mod telemetry_fold;
pub mod tokens;
mod transaction;
pub mod uploads;
pub mod users;

pub use conn::{Database, SqlConn, SqlError, SqlFailure, SqlRows, SqlValue};
pub use schema::{let_readers_pass, open};
pub use transaction::in_transaction;
