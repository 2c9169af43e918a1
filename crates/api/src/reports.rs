//! Bodies of `POST /reports/ingest`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// `encoding` of details: compressed with gzip, then encoded in base64.
pub const DETAILS_ENCODING: &str = "gzip+base64";
/// `content_type` of details: the type of the decompressed content.
pub const DETAILS_CONTENT_TYPE: &str = "application/json";

/// A failure report. The service reads it field by field, so that an error can name the field. No `Debug`: the details
/// must not get into a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportBody {
    /// The application that failed.
    pub application: ReportedApplication,
    /// The system that it ran on.
    pub system: ReportedSystem,
    /// The failure.
    pub event: ReportedEvent,
    /// Details that help to find the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<DetailsBody>,
}

/// The application of a report, or of all reports of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportedApplication {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its channel.
    pub channel: String,
}

/// The system of a report, or of all reports of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportedSystem {
    /// The operating system.
    pub platform: String,
    /// The processor architecture.
    pub arch: String,
}

/// The event of a report, or of all reports of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReportedEvent {
    /// `crash`, `startup_failure`, `update_failure`, `install_failure` or `rollback_failure`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// A short identifier of the cause.
    pub reason: String,
}

/// Details of a report. No `Debug`: they must not get into a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetailsBody {
    /// Always `gzip+base64`.
    pub encoding: Cow<'static, str>,
    /// Always `application/json`.
    pub content_type: Cow<'static, str>,
    /// A JSON object, compressed and encoded.
    pub payload: String,
}

/// Answer of `POST /reports/ingest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcceptedBody {
    /// Always `accepted`.
    pub status: Cow<'static, str>,
    /// The group that the report was counted in.
    pub group_hash: String,
    /// Whether the report's details were stored.
    pub stored_details: bool,
}
