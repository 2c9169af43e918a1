//! Bodies of `POST /reports/ingest`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// `encoding` of details: what they are packed and written with.
pub const DETAILS_ENCODING: &str = "gzip+base64";
/// `content_type` of details: what is packed.
pub const DETAILS_CONTENT_TYPE: &str = "application/json";

/// A failure as it is reported. The service reads it field by field, so that an error can name the field. No `Debug`: its
/// details must not get into a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportBody {
    /// What failed.
    pub application: ReportedApplication,
    /// Where.
    pub system: ReportedSystem,
    /// How.
    pub event: ReportedEvent,
    /// What helps to find the cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<DetailsBody>,
}

/// The application of a report, or of all reports of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
pub struct ReportedSystem {
    /// The operating system.
    pub platform: String,
    /// The processor.
    pub arch: String,
}

/// The event of a report, or of all reports of a group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReportedEvent {
    /// `crash`, `startup_failure`, `update_failure`, `install_failure` or `rollback_failure`.
    #[serde(rename = "type")]
    pub event_type: String,
    /// A short identifier.
    pub reason: String,
}

/// Details of a report. No `Debug`: they must not get into a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetailsBody {
    /// [`DETAILS_ENCODING`].
    pub encoding: Cow<'static, str>,
    /// [`DETAILS_CONTENT_TYPE`].
    pub content_type: Cow<'static, str>,
    /// A JSON object, packed.
    pub payload: String,
}

/// Answer of `POST /reports/ingest`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedBody {
    /// Always `accepted`.
    pub status: Cow<'static, str>,
    /// The group that the report was counted in.
    pub group_hash: String,
    /// Whether the report's details were stored.
    pub stored_details: bool,
}
