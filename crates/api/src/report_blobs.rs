//! Bodies of the details that groups of failures have.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{ReportedApplication, ReportedEvent, ReportedSystem};

/// Answer of `GET /reports/groups/{hash}/blobs`.
#[derive(Clone, Serialize, Deserialize)]
pub struct BlobsBody {
    /// Newest first.
    pub items: Vec<BlobEntry>,
}

/// Details of one report. No `Debug`: who has the link can read them.
#[derive(Clone, Serialize, Deserialize)]
pub struct BlobEntry {
    /// Identifier.
    pub id: Id,
    /// The group of the report.
    pub group_hash: String,
    /// Identifier of the application.
    pub app_id: Id,
    /// What failed.
    pub application: ReportedApplication,
    /// Where.
    pub system: ReportedSystem,
    /// How.
    pub event: ReportedEvent,
    /// Where the details lie, and in which form.
    pub storage: BlobStorage,
    /// A link to the packed bytes; `null` where the storage cannot be reached from outside.
    pub url: Option<String>,
    /// Until when the link is valid, RFC 3339; `null` without one.
    pub expires_at: Option<String>,
    /// When the report came, RFC 3339.
    pub created_at: String,
}

/// Where details lie, and in which form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobStorage {
    /// The storage driver: `s3` or `s3_internal`.
    pub driver: Cow<'static, str>,
    /// The key in the private bucket.
    pub key: String,
    /// Bytes as stored.
    pub compressed_size: u64,
    /// Bytes as unpacked.
    pub decompressed_size: u64,
    /// Of what is packed: always `application/json`.
    pub content_type: Cow<'static, str>,
    /// Always `gzip`.
    pub encoding: Cow<'static, str>,
}
