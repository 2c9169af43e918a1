//! Bodies of uploads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Field `data` of an upload: what the release is. The service reads it field by field, so that an error can name the
/// field: [`ReleaseMetadata`](spindrift_core::ReleaseMetadata).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReleaseData {
    /// The application.
    pub app_name: String,
    /// The version.
    pub version: String,
    /// The channel; required when the owner has any. Likewise the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The architecture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Clients see it at once.
    #[serde(default)]
    pub publish: bool,
    /// Clients should not postpone it.
    #[serde(default)]
    pub critical: bool,
    /// Clients must not step over it.
    #[serde(default)]
    pub intermediate: bool,
    /// Percent of devices, 0-100; left out: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<u8>,
    /// What is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<String>,
    /// What the files are made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updater: Option<String>,
    /// Of the updater's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// An entry of the field `files` of `POST /upload/init`: a file that will be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// Its name, without a path.
    pub name: String,
    /// Its MD5, 32 hexadecimal digits.
    pub md5: String,
    /// Its SHA-256, 64 hexadecimal digits; for applications with TUF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its SHA-512, 128 hexadecimal digits; for applications with TUF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha512: Option<String>,
    /// Its length in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
}

/// Answer of `POST /upload/init`. No `Debug`: its addresses must not get into a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadInitBody {
    /// Goes to the completion call.
    pub upload_id: String,
    /// When the URLs end, ISO 8601 with offset.
    pub expires_at: String,
    /// One for each manifest entry, in its order.
    pub files: Vec<UploadFileBody>,
}

/// How one file is sent. No `Debug`, as above.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadFileBody {
    /// Name from the manifest.
    pub name: String,
    /// Always `PUT`.
    pub method: Cow<'static, str>,
    /// Presigned; a write credential until it expires.
    pub url: String,
    /// To be sent unchanged: they are signed.
    pub headers: BTreeMap<String, String>,
}

/// Body of `POST /upload/complete`. Other keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteBody {
    /// From the answer of init.
    pub upload_id: String,
}

/// Answer of `POST /upload/complete` and `POST /upload`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedBody {
    /// The release.
    #[serde(rename = "uploadResult.Uploaded")]
    pub release: Id,
}
