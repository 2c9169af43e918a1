//! Bodies of causes of failures.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{GroupEntry, ReportedEvent};

/// Answer of `GET /reports/causes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CausesBody {
    /// The causes of this page.
    pub items: Vec<CauseEntry>,
    /// Number of causes on all pages.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Maximum number of items on a page.
    pub limit: u32,
}

/// A cause: all groups of an application with the same type and reason, and selected by the filters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CauseEntry {
    /// Id of the application.
    pub app_id: Id,
    /// Name of the application.
    pub app_name: String,
    /// The failure.
    pub event: ReportedEvent,
    /// Number of reports.
    pub reports: u64,
    /// Number of groups.
    pub groups: u64,
    /// Of these, those that are open.
    pub open_groups: u64,
    /// Of these, those that are resolved.
    pub resolved_groups: u64,
    /// Of these, those that are muted.
    pub muted_groups: u64,
    /// Time of the first report, RFC 3339.
    pub first_seen: String,
    /// Time of the last report, RFC 3339.
    pub last_seen: String,
    /// Reports of each of the last 30 days in UTC, oldest first: 30 numbers, the last is today.
    pub trend: Vec<u64>,
    /// The groups, latest report first: at most 20.
    pub latest: Vec<GroupEntry>,
}

/// Body of `PATCH /reports/causes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CausesPatchBody {
    /// The causes: at most 100.
    pub causes: Option<Vec<CauseRef>>,
    /// The new status of their groups: `open`, `resolved` or `muted`.
    pub status: Option<String>,
}

/// Names a cause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(expecting = "an object")]
pub struct CauseRef {
    /// Id of the application.
    pub app_id: String,
    /// The type of the failure.
    #[serde(rename = "type")]
    pub event_type: String,
    /// The short identifier of the reason.
    pub reason: String,
}

/// Answer of `PATCH /reports/causes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CausesUpdatedBody {
    /// Number of groups that have another status now.
    pub updated: u64,
}
