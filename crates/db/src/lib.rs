//! Queries: SQL text and row mapping over a small connection trait.
//!
//! One module per noun. Most functions run a single statement, so that a handler shows what a request costs.

pub mod audit;
mod catalog;
mod checks;
mod conn;
pub mod health;
pub mod maintenance;
mod people;
pub mod releases;
pub mod repositories;
mod row;
mod schema;
pub mod telemetry;
mod transaction;
pub mod uploads;
mod value;

pub use audit::{AddedEntry, Audit};
pub(crate) use audit::{affected, audited};
pub use audit::{changes, edits, webhooks};
pub use audited::Audited;
pub use catalog::{apps, channel_includes, cut_off, dimensions, known_names, search};
pub use checks::{
    barriers, freezes, latest, listings, offered, projections, revisions, scope_versions, scopes, shutoffs,
};
pub use conn::{Database, SqlConn, SqlError, SqlFailure, SqlRows};
pub(crate) use health::watched;
pub use health::{report_blobs, report_causes, report_events, report_groups, report_keys, report_versions};
pub use maintenance::{leases, metrics};
pub use people::{
    device_groups, device_logins, download_tokens, invitations, logins, passkeys, publishers, tokens,
    used_proofs, users,
};
pub use releases::{
    artifacts, copies, feed_files, pending_removal, promotions, receipt, release_feeds, release_objects,
    release_places, requirements, under_way,
};
pub(crate) use releases::{courses, release_freezes};
pub use repositories::{
    repository_events, repository_files, repository_metadata, repository_staged, repository_upkeep,
};
pub use schema::{enable_wal, open};
pub use telemetry::{adoption, device_hash_key, downloads, gathered_sightings, overview, telemetry_fold};
pub use transaction::in_transaction;
pub use uploads::{claims, incoming_uploads};
pub use value::SqlValue;
pub(crate) use value::params;
