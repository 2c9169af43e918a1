//! The answer of `GET /search`.

use serde::{Deserialize, Serialize};
use spindrift_core::{Id, Package, Version};

/// Body of a search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchBody {
    /// The releases of this page, newest version first.
    pub items: Vec<ReleaseEntry>,
    /// Number of releases on all pages.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Maximum number of items on a page.
    pub limit: u32,
}

impl SearchBody {
    /// The releases of this page that are older than a version, the newest first.
    pub fn older_than(&self, version: &str) -> impl Iterator<Item = &ReleaseEntry> {
        let version: Option<Version> = version.parse().ok();
        self.items.iter().filter(move |release| release.version.parse().ok() < version)
    }
}

/// A release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ReleaseEntry {
    /// Id.
    #[serde(rename = "ID")]
    pub id: Id,
    /// Name of the application.
    pub app_name: String,
    /// The version.
    pub version: String,
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// Whether clients see it.
    pub published: bool,
    /// Whether clients should not postpone it.
    pub critical: bool,
    /// Whether clients must not skip it.
    pub intermediate: bool,
    /// All artifacts of the release.
    pub artifacts: Vec<ArtifactEntry>,
    /// At most one entry.
    pub changelog: Vec<ChangelogEntry>,
    /// When it was first recorded, RFC 3339.
    #[serde(rename = "Created_at")]
    pub created_at: String,
    /// RFC 3339.
    #[serde(rename = "Updated_at")]
    pub updated_at: String,
    /// Percentage of devices, 0-100, rounded down.
    pub rollout_percent: i64,
    /// The same in hundredths of a percent.
    pub basis_points: u16,
    /// `fixed`, `running`, `paused`, `halted` or `complete`.
    pub rollout_state: String,
    /// Input of a device's position: SHA-256(`device_id:seed`).
    pub rollout_seed: String,
    /// `draft`, `scheduled`, `published` or `withdrawn`.
    pub state: String,
    /// When clients will see it, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<String>,
    /// Rises with every change of how it is offered.
    pub revision: i64,
    /// All channels that offer it, its own first. Empty: only its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
}

impl ReleaseEntry {
    /// The file of a package for a platform and an architecture; empty if the owner uses none.
    pub fn file(&self, platform: &str, arch: &str, package: &Package) -> Option<&ArtifactEntry> {
        self.artifacts.iter().find(|artifact| {
            artifact.platform == platform && artifact.arch == arch && artifact.package == package.as_str()
        })
    }
}

/// An artifact of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArtifactEntry {
    /// Id; edits name the artifact by it.
    pub id: Id,
    /// URL of the file.
    pub link: String,
    /// Empty if the owner uses no platforms.
    pub platform: String,
    /// Empty if the owner uses no architectures.
    pub arch: String,
    /// `deb`, `dmg`, ...
    pub package: String,
    /// Name of the updater that it was published for; `manual`: none.
    pub updater: String,
    /// Bytes.
    pub size: u64,
    /// Lower-case hex, as the storage verified it.
    pub md5: String,
    /// Lower-case hex. `None`: the uploader declared none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Lower-case hex. `None`: the uploader declared none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha512: Option<String>,
    /// The description of a patch. `None`: the file is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<PatchOf>,
    /// Whether a signature for the updater was given at upload.
    pub has_signature: bool,
    /// Whether checks answer it once the release is published: not while signed metadata has to list it and does not.
    pub offered: bool,
    /// Whether the current signed metadata lists it.
    #[serde(rename = "TufSigned")]
    pub tuf_signed: bool,
    /// The task that made the current list current. `null`: the artifact is not listed.
    #[serde(rename = "TufTaskID")]
    pub tuf_task_id: Option<Id>,
}

/// A patch: the package that it makes, and the base that it is applied to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchOf {
    /// The package of the file that it makes.
    pub package: String,
    /// How it is applied.
    pub format: String,
    /// The version that the base was published as.
    pub base_version: String,
    /// SHA-256 of the base, lower-case hex.
    pub base_sha256: String,
}

/// The release notes of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "PascalCase")]
pub struct ChangelogEntry {
    /// The release's version.
    pub version: String,
    /// The text.
    pub changes: String,
    /// When the release was first recorded, RFC 3339.
    pub date: String,
}
