//! The answer of `POST /maintenance/run`.

use serde::{Deserialize, Serialize};

/// The numbers of items that one run removed or signed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaintenanceBody {
    /// Expired upload sessions.
    pub uploads_expired: u64,
    /// Objects in the storage: staged files, and leftovers of calls that were killed.
    pub objects_deleted: u64,
    /// Telemetry rows older than the retention.
    pub telemetry_deleted: u64,
    /// Report details older than the retention.
    pub blobs_deleted: u64,
    /// Rate limit counters of closed windows.
    pub counters_deleted: u64,
    /// Repositories of signed metadata that were signed again.
    pub metadata_signed: u64,
    /// Repositories whose root, or whose publisher's targets, end within 30 days or have ended.
    pub metadata_expiring: u64,
    /// Entries of audit logs that were sent to webhooks.
    pub webhooks_sent: u64,
    /// Whether the private bucket belongs to another database. If so, maintenance leaves abandoned uploads alone that this
    /// database does not know.
    pub bucket_of_another_database: bool,
}
