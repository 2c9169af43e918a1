//! The answer of `GET /telemetry/adoption`.

use serde::{Deserialize, Serialize};

/// How versions of an application spread: devices by day and by the version that they reported last on that day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdoptionBody {
    /// All days of the range, `YYYY-MM-DD` in UTC, oldest first.
    pub days: Vec<String>,
    /// The most used versions of the range, at most 8, highest version first.
    pub versions: Vec<AdoptionVersion>,
    /// Devices of each day with any other version.
    pub other: Vec<u64>,
}

/// The devices of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AdoptionVersion {
    /// The version.
    pub version: String,
    /// Devices of each day: as many numbers as there are days.
    pub clients: Vec<u64>,
}
