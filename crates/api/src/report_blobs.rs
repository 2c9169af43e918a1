//! Bodies of the stored details of reports.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{ReportedApplication, ReportedEvent, ReportedSystem};

/// Answer of `GET /reports/groups/{hash}/blobs`.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlobsBody {
    /// The stored details, newest first.
    pub items: Vec<BlobEntry>,
}

/// Details of one report. No `Debug`: anyone with the URL can read them.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlobEntry {
    /// Id.
    pub id: Id,
    /// The group of the report.
    pub group_hash: String,
    /// Id of the application.
    pub app_id: Id,
    /// The application that failed.
    pub application: ReportedApplication,
    /// The system that it ran on.
    pub system: ReportedSystem,
    /// The failure.
    pub event: ReportedEvent,
    /// Where the details are stored, and in which form.
    pub storage: BlobStorage,
    /// URL of the compressed details. `null`: the storage cannot be reached from outside.
    pub url: Option<String>,
    /// When the URL expires, RFC 3339. `null` without a URL.
    pub expires_at: Option<String>,
    /// When the report arrived, RFC 3339.
    pub created_at: String,
}

/// Where details are stored, and in which form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlobStorage {
    /// The storage driver: `s3` or `s3_internal`.
    pub driver: Cow<'static, str>,
    /// The key in the private bucket.
    pub key: String,
    /// Size as stored, in bytes.
    pub compressed_size: u64,
    /// Size after decompression, in bytes.
    pub decompressed_size: u64,
    /// Type of the decompressed content: always `application/json`.
    pub content_type: Cow<'static, str>,
    /// Always `gzip`.
    pub encoding: Cow<'static, str>,
}
