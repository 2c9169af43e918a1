//! The answer of `GET /search`.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchBody {
    /// The releases of this page, newest version first.
    pub items: Vec<ReleaseEntry>,
    /// How many there are on all pages.
    pub total: u64,
    /// This page, from 1.
    pub page: u32,
    /// Most items of a page.
    pub limit: u32,
}

/// A release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ReleaseEntry {
    /// Identifier.
    #[serde(rename = "ID")]
    pub id: Id,
    /// The application.
    pub app_name: String,
    /// The version.
    pub version: String,
    /// The channel; empty when the owner uses none.
    pub channel: String,
    /// Clients see it.
    pub published: bool,
    /// Clients should not postpone it.
    pub critical: bool,
    /// Clients must not step over it.
    pub intermediate: bool,
    /// All of its artifacts.
    pub artifacts: Vec<ArtifactEntry>,
    /// One entry, or none.
    pub changelog: Vec<ChangelogEntry>,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
    /// Percent of devices, 0-100.
    pub rollout_percent: i64,
}

/// An artifact of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactEntry {
    /// Identifier: what an edit names it by.
    pub id: Id,
    /// Where it is downloaded.
    pub link: String,
    /// Empty when the owner uses no platforms.
    pub platform: String,
    /// Empty when the owner uses no architectures.
    pub arch: String,
    /// `deb`, `dmg`, ...
    pub package: String,
}

/// What is new in a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct ChangelogEntry {
    /// The release's version.
    pub version: String,
    /// The text.
    pub changes: String,
    /// When the release was first recorded, RFC 3339.
    pub date: String,
}
