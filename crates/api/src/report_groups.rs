//! Bodies of groups of failures.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{ReportedApplication, ReportedEvent, ReportedSystem};

/// Answer of `GET /reports/groups`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupEntry {
    /// Identifier.
    pub id: Id,
    /// SHA-256 of what its reports have in common.
    pub group_hash: String,
    /// Identifier of the application.
    pub app_id: Id,
    /// What failed.
    pub application: ReportedApplication,
    /// Where.
    pub system: ReportedSystem,
    /// How.
    pub event: ReportedEvent,
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

/// What was counted in a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupPatchBody {
    /// `open`, `resolved` or `muted`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// All of the new tags.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
    /// The whole new note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Answer of `PATCH /reports/groups/{hash}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupUpdatedBody {
    /// Which group.
    pub group_hash: String,
    /// Always true.
    pub updated: bool,
}

/// Answer of `DELETE /reports/groups/{hash}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupDeletedBody {
    /// Which group.
    pub group_hash: String,
    /// Always true.
    pub deleted: bool,
}
