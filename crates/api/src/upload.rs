//! Bodies of uploads.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

use crate::{GuardBody, Percentage, PlanBody, RequiresBody};

/// Field `data` of an upload: the metadata of the release.
// The service reads it field by field as `spindrift_core::ReleaseMetadata`, so that an error can name the field.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReleaseData {
    /// The application.
    pub app_name: String,
    /// The version.
    pub version: String,
    /// The channel; required if the owner has any. The same applies to the platform and the architecture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The architecture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arch: Option<String>,
    /// Whether clients see it at once.
    #[serde(default)]
    pub publish: bool,
    /// RFC 3339, at most 366 days ahead: clients see a new release from this time on. A past time means now. Not together with
    /// `publish`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<String>,
    /// Whether clients should not postpone it.
    #[serde(default)]
    pub critical: bool,
    /// Whether clients must not skip it.
    #[serde(default)]
    pub intermediate: bool,
    /// Percentage of devices; all if omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Percentage>,
    /// The plan of a new release instead: it begins when the release is published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanBody>,
    /// The order for a guard run that finds a new release unhealthy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<GuardBody>,
    /// The groups of devices that a new release lets in besides its rollout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<String>,
    /// Up to 8 lower versions. Copies that run one of them are offered a new release regardless of its rollout.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cures: Vec<String>,
    /// The requirements on systems of the platform and architecture. They stay if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<RequiresBody>,
    /// Release notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<String>,
    /// The updater that the files are for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updater: Option<String>,
    /// The signature of the updater's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The files of this upload that are patches. Each has the extension `.patch`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub patches: Vec<PatchEntry>,
    /// The packages that files of this upload have in place of their extensions, by file name: 1-32 lower-case letters, digits,
    /// `.`, `-` or `_`. A manifest entry may name its package instead.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub packages: BTreeMap<String, String>,
    /// When the release was first published elsewhere, RFC 3339; only from admins. Now if omitted or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
}

/// A file of an upload that is a patch: it makes another file of the upload from that of an older release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PatchEntry {
    /// Its name.
    pub name: String,
    /// The package of the file that it makes; `no-extension` for one without an extension.
    pub package: String,
    /// How it is applied: `bidiff+brotli`, or `binary-delta` for Squirrel.Mac.
    pub format: String,
    /// The version that the base was published as.
    pub base_version: String,
    /// SHA-256 of the base, hex.
    pub base_sha256: String,
}

/// An entry of the field `files` of `POST /upload/init`: a file that will be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// Its package in place of its extension, if another file of the release has the same extension.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
}

/// Answer of `POST /upload/init` and `POST /upload/renew`. No `Debug`: its URLs must not get into a log.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UploadInitBody {
    /// Id of the upload session, for `POST /upload/complete`.
    pub upload_id: String,
    /// When the URLs expire, ISO 8601 with offset.
    pub expires_at: String,
    /// One for each manifest entry, in the same order.
    pub files: Vec<UploadFileBody>,
}

/// The request that uploads one file. No `Debug`, as above.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UploadFileBody {
    /// Name of the file, from the manifest.
    pub name: String,
    /// Always `PUT`.
    pub method: Cow<'static, str>,
    /// Presigned URL; a write credential until it expires.
    pub url: String,
    /// Headers to send unchanged: they are signed.
    pub headers: BTreeMap<String, String>,
}

/// Body of `POST /upload/parts`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartsBody {
    /// From the answer of `POST /upload/init`.
    pub upload_id: String,
    /// Name of the file, from the manifest.
    pub name: String,
    /// Bytes of each part but the last, 5 MiB to 5 GiB.
    pub part_length: u64,
    /// The MD5 of each part in order, 32 hexadecimal digits; at most 1000 parts.
    pub md5: Vec<String>,
    /// From an earlier answer, to continue the upload that it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multipart_id: Option<String>,
}

/// Answer of `POST /upload/parts`. No `Debug`, as above.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartsAnswer {
    /// Identifies the multipart upload in later calls.
    pub multipart_id: String,
    /// When the URLs and the upload expire, ISO 8601 with offset.
    pub expires_at: String,
    /// The parts that are not in the storage yet. If empty, the file is complete.
    pub parts: Vec<PartBody>,
}

/// The request that uploads one part. No `Debug`, as above.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartBody {
    /// Number of the part, from 1.
    pub number: u16,
    /// Always `PUT`.
    pub method: Cow<'static, str>,
    /// Presigned URL; a write credential until it expires.
    pub url: String,
    /// Headers to send unchanged: they are signed.
    pub headers: BTreeMap<String, String>,
}

/// Body of `POST /upload/renew` and `POST /upload/complete`. Other keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompleteBody {
    /// From the answer of `POST /upload/init`.
    pub upload_id: String,
}

/// Answer of `POST /upload/complete` and `POST /upload`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UploadedBody {
    /// Id of the release.
    #[serde(rename = "uploadResult.Uploaded")]
    pub release: Id,
}
