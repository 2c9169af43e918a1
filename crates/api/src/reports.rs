//! Bodies of failure reports and report keys.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Answer of `POST /reports/ingest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AcceptedBody {
    /// Always `accepted`.
    pub status: &'static str,
    /// The group that the report was counted in.
    pub group_hash: String,
    /// Whether the report's details were stored.
    pub stored_details: bool,
}

/// Body of `POST /report-keys/regenerate`. No `Debug`: the key must not get into a log.
#[derive(Clone, Deserialize)]
pub struct RegenerateBody {
    /// The application.
    pub app_id: Option<String>,
    /// The key that it is to have; without it a new one.
    pub key_value: Option<String>,
}

/// Answer of `POST /report-keys/regenerate`. No `Debug`: the key must not get into a log.
#[derive(Clone, Serialize)]
pub struct KeyBody {
    /// The application.
    pub app_id: Id,
    /// The new key.
    pub key_value: String,
}

/// Answer of `GET /report-keys/list`.
#[derive(Clone, Serialize)]
pub struct ReportKeysBody {
    /// One for each application that accepts reports, by application name.
    pub report_keys: Vec<ReportKeyEntry>,
}

/// A report key. No `Debug`: it must not get into a log.
#[derive(Clone, Serialize)]
pub struct ReportKeyEntry {
    /// Identifier.
    pub id: Id,
    /// The application.
    pub app_id: Id,
    /// Its name.
    pub app_name: String,
    /// The key.
    pub key_value: String,
    /// When it was made, RFC 3339.
    pub updated_at: String,
}

/// Answer of `GET /reports/groups`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupsBody {
    /// The groups of this page, latest report first.
    pub items: Vec<GroupEntry>,
    /// How many there are on all pages.
    pub total: u64,
    /// This page, from 1.
    pub page: u32,
    /// Most items of a page.
    pub limit: u32,
}

/// A group of failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupEntry {
    /// Identifier.
    pub id: Id,
    /// SHA-256 of what its reports have in common.
    pub group_hash: String,
    /// Identifier of the application.
    pub app_id: Id,
    /// What failed.
    pub application: GroupApplication,
    /// Where.
    pub system: GroupSystem,
    /// How.
    pub event: GroupEvent,
    /// How often.
    pub stats: GroupStats,
    /// `open`, `resolved` or `muted`.
    pub status: String,
    /// Labels.
    pub tags: Vec<String>,
    /// A text; empty when there is none.
    pub note: String,
    /// RFC 3339.
    pub created_at: String,
    /// Last report or change, RFC 3339.
    pub updated_at: String,
}

/// The application of a group's reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupApplication {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its channel.
    pub channel: String,
}

/// The system of a group's reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupSystem {
    /// The operating system.
    pub platform: String,
    /// The processor.
    pub arch: String,
}

/// The event of a group's reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupEvent {
    /// `crash`, `startup_failure`, `update_failure`, `install_failure` or `rollback_failure`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// A short identifier.
    pub reason: String,
}

/// What was counted in a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupStats {
    /// Reports.
    pub count: u64,
    /// RFC 3339.
    pub first_seen: String,
    /// RFC 3339.
    pub last_seen: String,
    /// Details that were stored; older ones may be deleted meanwhile.
    pub details_stored: u64,
    /// Details that were refused or could not be stored.
    pub details_rejected: u64,
}

/// Body of `PATCH /reports/groups/{hash}`. What is left out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct GroupPatchBody {
    /// `open`, `resolved` or `muted`.
    pub status: Option<String>,
    /// All of the new tags.
    pub tags: Option<Vec<String>>,
    /// The whole new note.
    pub note: Option<String>,
}

/// Answer of `PATCH /reports/groups/{hash}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupUpdatedBody {
    /// Which group.
    pub group_hash: String,
    /// Always true.
    pub updated: bool,
}

/// Answer of `DELETE /reports/groups/{hash}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupDeletedBody {
    /// Which group.
    pub group_hash: String,
    /// Always true.
    pub deleted: bool,
}

/// Answer of `GET /reports/groups/{hash}/blobs`.
#[derive(Clone, Serialize)]
pub struct BlobsBody {
    /// Newest first.
    pub items: Vec<BlobEntry>,
}

/// Details of one report. No `Debug`: who has the link can read them.
#[derive(Clone, Serialize)]
pub struct BlobEntry {
    /// Identifier.
    pub id: Id,
    /// The group of the report.
    pub group_hash: String,
    /// Identifier of the application.
    pub app_id: Id,
    /// What failed.
    pub application: GroupApplication,
    /// Where.
    pub system: GroupSystem,
    /// How.
    pub event: GroupEvent,
    /// Where the details lie, and in which form.
    pub storage: BlobStorage,
    /// A link to the packed bytes; `null` where the storage cannot be reached from outside.
    pub url: Option<String>,
    /// Until when the link is valid, RFC 3339; `null` without one.
    pub expires_at: Option<String>,
    /// When the report came, RFC 3339.
    pub created_at: String,
}

/// Where details lie, and in which form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlobStorage {
    /// The storage driver: `s3` or `s3_internal`.
    pub driver: &'static str,
    /// The key in the private bucket.
    pub key: String,
    /// Bytes as stored.
    pub compressed_size: u64,
    /// Bytes as unpacked.
    pub decompressed_size: u64,
    /// Of what is packed: always `application/json`.
    pub content_type: &'static str,
    /// Always `gzip`.
    pub encoding: &'static str,
}
