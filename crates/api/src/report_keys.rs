//! Bodies of report keys.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /report-keys/regenerate`. No `Debug`: the key must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegenerateBody {
    /// The application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_id: Option<String>,
    /// The new key; if omitted, the service generates one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_value: Option<String>,
}

/// Answer of `POST /report-keys/regenerate`. No `Debug`: the key must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeyBody {
    /// The application.
    pub app_id: Id,
    /// The new key.
    pub key_value: String,
}

/// Answer of `GET /report-keys/list`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportKeysBody {
    /// One for each application that accepts reports, by application name.
    pub report_keys: Vec<ReportKeyEntry>,
}

/// A report key. No `Debug`: it must not get into a log.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportKeyEntry {
    /// Id.
    pub id: Id,
    /// The application.
    pub app_id: Id,
    /// Name of the application.
    pub app_name: String,
    /// The key.
    pub key_value: String,
    /// When the key was created, RFC 3339.
    pub updated_at: String,
}
