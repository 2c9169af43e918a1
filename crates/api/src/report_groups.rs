//! Bodies of groups of failures.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{ReportedApplication, ReportedEvent, ReportedSystem};

/// Answer of `GET /reports/groups`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupsBody {
    /// The groups of this page, latest report first.
    pub items: Vec<GroupEntry>,
    /// Number of groups on all pages.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Maximum number of items on a page.
    pub limit: u32,
}

/// A group of failures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupEntry {
    /// Id.
    pub id: Id,
    /// SHA-256 of the fields that all its reports have in common.
    pub group_hash: String,
    /// Id of the application.
    pub app_id: Id,
    /// The application that failed.
    pub application: ReportedApplication,
    /// The system that it ran on.
    pub system: ReportedSystem,
    /// The failure.
    pub event: ReportedEvent,
    /// Counters.
    pub stats: GroupStats,
    /// Reports of each of the last 30 days in UTC, oldest first: 30 numbers, the last is today.
    pub trend: Vec<u64>,
    /// `open`, `resolved` or `muted`.
    pub status: String,
    /// Labels set by the owner.
    pub tags: Vec<String>,
    /// Note of the owner; empty if there is none.
    pub note: String,
    /// RFC 3339.
    pub created_at: String,
    /// Time of the last report or change, RFC 3339.
    pub updated_at: String,
}

/// Counters of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupStats {
    /// Number of reports.
    pub count: u64,
    /// Time of the first report, RFC 3339.
    pub first_seen: String,
    /// Time of the last report, RFC 3339.
    pub last_seen: String,
    /// Number of details stored so far; older ones may have been deleted since.
    pub details_stored: u64,
    /// Number of details that were refused or could not be stored.
    pub details_rejected: u64,
}

/// Body of `PATCH /reports/groups/{hash}`. Omitted values stay as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupPatchBody {
    /// `open`, `resolved` or `muted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The complete list of new tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The complete new note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Answer of `PATCH /reports/groups/{hash}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupUpdatedBody {
    /// The group.
    pub group_hash: String,
    /// Always true.
    pub updated: bool,
}

/// Answer of `DELETE /reports/groups/{hash}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupDeletedBody {
    /// The group.
    pub group_hash: String,
    /// Always true.
    pub deleted: bool,
}
