//! The answer of `GET /reports/versions`.

use serde::{Deserialize, Serialize};

/// Failures of an application by its version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailuresByVersionBody {
    /// The versions that failed, highest first; at most 100.
    pub versions: Vec<VersionFailures>,
}

/// The failures of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VersionFailures {
    /// The version.
    pub version: String,
    /// Number of groups, with any status.
    pub groups: u64,
    /// Of these, those that are open.
    pub open_groups: u64,
    /// Number of reports that these groups have counted.
    pub reports: u64,
    /// Devices that last reported this version in the last 30 days, as far as devices are counted, for comparison with
    /// the reports.
    pub devices: u64,
}
