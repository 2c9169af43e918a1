//! A presigned upload between init and completion.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    AdmittedGroups, BasisPoints, CuredVersions, FileName, Guard, Id, Packages, Patches, Plan, Requirements,
    StoredObject, Target, Timestamp, Updater, UserName, Version,
};

/// The progress of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionState {
    /// Nothing is recorded yet.
    Staged,
    /// It has expired; the staged objects are being deleted.
    Expired,
    /// The release has the artifacts; staged objects may still exist.
    Recorded(Id),
    /// Nothing is left to do.
    Finished(Id),
}

/// The user, token or publisher that started a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Starter {
    /// A user, by identifier.
    User(Id),
    /// A CI token, by identifier.
    Token(Id),
    /// A CI job, by the identifier of its publisher: its tokens end, and the next one continues its uploads.
    Publisher(Id),
}

/// The release to record, as given at init.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRelease {
    /// The version.
    pub version: Version,
    /// The updater whose rules the files follow.
    pub updater: Updater,
    /// Whether to publish it at once.
    pub publish: bool,
    /// When to publish it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish_at: Option<Timestamp>,
    /// Whether it is critical.
    pub critical: bool,
    /// Whether it is an intermediate that clients must not skip.
    pub intermediate: bool,
    /// The part of all devices, as a percentage.
    #[serde(with = "crate::percentage")]
    pub rollout: BasisPoints,
    /// The plan by which the rollout grows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// See [`ReleaseMetadata::guard`](crate::ReleaseMetadata::guard).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Guard>,
    /// See [`ReleaseMetadata::groups`](crate::ReleaseMetadata::groups).
    #[serde(default, skip_serializing_if = "AdmittedGroups::is_empty")]
    pub groups: AdmittedGroups,
    /// See [`ReleaseMetadata::cures`](crate::ReleaseMetadata::cures).
    #[serde(default, skip_serializing_if = "CuredVersions::is_empty")]
    pub cures: CuredVersions,
    /// See [`ReleaseMetadata::requires`](crate::ReleaseMetadata::requires).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires: Option<Requirements>,
    /// See [`ReleaseMetadata::patches`](crate::ReleaseMetadata::patches).
    #[serde(default, skip_serializing_if = "Patches::is_empty")]
    pub patches: Patches,
    /// See [`ReleaseMetadata::packages`](crate::ReleaseMetadata::packages).
    #[serde(default, skip_serializing_if = "Packages::is_empty")]
    pub packages: Packages,
    /// Release notes.
    pub changelog: String,
    /// Signature for the artifacts.
    pub signature: Option<String>,
    /// See [`ReleaseMetadata::created_at`](crate::ReleaseMetadata::created_at).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
}

/// One file of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SessionFileRow", into = "SessionFileRow")]
pub struct SessionFile {
    /// Its name, without a path.
    pub name: FileName,
    /// Where it will be stored.
    pub object: StoredObject,
    /// In bytes, if declared.
    pub length: Option<u64>,
    /// Its purpose.
    pub kind: SessionFileKind,
}

/// The purpose of a session's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionFileKind {
    /// It becomes an artifact whose bytes must have these digests.
    Artifact(DeclaredDigests),
    /// It is a feed, which is read and compared with the artifacts.
    Feed,
}

/// Digests of a file in hexadecimal, as declared by its uploader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredDigests {
    /// Lower case.
    pub md5: String,
    /// As given: checked at completion, and only for applications with TUF.
    pub sha256: Option<String>,
    /// As given: checked at completion, and only for applications with TUF.
    pub sha512: Option<String>,
}

impl SessionFile {
    /// Whether it is a feed.
    pub const fn is_feed(&self) -> bool {
        matches!(self.kind, SessionFileKind::Feed)
    }

    /// The digests of an artifact. `None`: it is a feed.
    pub const fn digests(&self) -> Option<&DeclaredDigests> {
        match &self.kind {
            SessionFileKind::Artifact(digests) => Some(digests),
            SessionFileKind::Feed => None,
        }
    }
}

/// A [`SessionFile`] in the database.
#[derive(Serialize, Deserialize)]
struct SessionFileRow {
    name: FileName,
    object: StoredObject,
    /// Empty for a feed.
    md5: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha512: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    feed: bool,
}

impl From<SessionFileRow> for SessionFile {
    fn from(row: SessionFileRow) -> Self {
        let SessionFileRow { name, object, md5, sha256, sha512, length, feed } = row;
        let digests = DeclaredDigests { md5, sha256, sha512 };
        let kind = if feed { SessionFileKind::Feed } else { SessionFileKind::Artifact(digests) };
        Self { name, object, length, kind }
    }
}

impl From<SessionFile> for SessionFileRow {
    fn from(file: SessionFile) -> Self {
        let SessionFile { name, object, length, kind } = file;
        match kind {
            SessionFileKind::Artifact(DeclaredDigests { md5, sha256, sha512 }) => {
                Self { name, object, md5, sha256, sha512, length, feed: false }
            }
            SessionFileKind::Feed => {
                Self { name, object, md5: String::new(), sha256: None, sha512: None, length, feed: true }
            }
        }
    }
}

/// A presigned upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadSession {
    /// Identifier; also the name of the folder with its staged objects.
    pub id: Id,
    /// The owner.
    pub owner_id: Id,
    /// The owner's user name.
    pub owner: UserName,
    /// The application.
    pub app_id: Id,
    /// The user or token that started it.
    pub started_by: Starter,
    /// The scope of the artifacts.
    pub target: Target,
    /// The release to record.
    pub release: SessionRelease,
    /// The files.
    pub files: Vec<SessionFile>,
    /// Its state.
    pub state: SessionState,
    /// When the presigned URLs expire.
    pub expires_at: Timestamp,
    /// By file name, the tag of the object and the digests that its bytes were compared with. While
    /// both stay the same, the bytes need not be read again.
    pub verified: BTreeMap<String, String>,
}

/// The state of the upload that a staged object belongs to, according to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagedUpload {
    /// The upload may still be completed, or its completion is under way.
    Needed,
    /// The upload is completed, or has expired.
    Over,
    /// This database has no such upload.
    Unknown,
}

/// Minimum age in seconds at which maintenance deletes staged objects of unknown uploads: two days.
const MIN_UNKNOWN_SECONDS: u64 = 2 * 24 * 60 * 60;

/// Staged objects of unknown uploads that were written before this moment are older than any upload
/// can be. The settings determine how long presigned URLs are valid, and how long an upload may be
/// completed after that.
pub fn unknown_uploads_end(now: Timestamp, url_lifetime: Duration, grace: Duration) -> Timestamp {
    let seconds = url_lifetime.saturating_add(grace).as_secs().max(MIN_UNKNOWN_SECONDS);
    now.plus_seconds(-i64::try_from(seconds).unwrap_or(i64::MAX))
}

/// Whether maintenance deletes a staged object that was written at this time. Objects of unknown
/// uploads are deleted if they were written before `unknown_before`; `None`: never.
pub fn is_leftover(
    upload: StagedUpload,
    written: Option<Timestamp>,
    unknown_before: Option<Timestamp>,
) -> bool {
    match upload {
        StagedUpload::Needed => false,
        StagedUpload::Over => true,
        StagedUpload::Unknown => {
            written.zip(unknown_before).is_some_and(|(written, before)| written < before)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_uploads_are_left_alone_for_as_long_as_an_upload_may_take() {
        let now = Timestamp::from_millis(1_795_225_422_000);
        let hours = Duration::from_hours;
        for (url_lifetime, grace, kept) in
            [(1, 24, 48), (0, 0, 48), (24, 24, 48), (24, 25, 49), (168, 720, 888)]
        {
            let end = unknown_uploads_end(now, hours(url_lifetime), hours(grace));
            assert_eq!(end, now.plus_seconds(-kept * 60 * 60), "{url_lifetime} {grace}");
        }
    }

    #[test]
    fn unknown_uploads_are_deleted_only_when_old() {
        use StagedUpload::{Needed, Over, Unknown};
        let at = |seconds| Some(Timestamp::from_millis(0).plus_seconds(seconds));
        for (upload, written, unknown_before, expected) in [
            (Needed, at(1), at(5), false),
            (Over, at(9), at(5), true),
            (Over, None, None, true),
            (Unknown, at(4), at(5), true),
            (Unknown, at(5), at(5), false),
            (Unknown, at(4), None, false),
            (Unknown, None, at(5), false),
        ] {
            assert_eq!(is_leftover(upload, written, unknown_before), expected, "{upload:?} {written:?}");
        }
    }

    #[test]
    fn files_are_read_as_they_were_written() {
        let object = r#""object":{"bucket":"public","key":"k"}"#;
        for (row, is_feed) in [
            (
                format!(r#"{{"name":"a.zip",{object},"md5":"d4","sha256":"e3","length":3,"feed":false}}"#),
                false,
            ),
            (format!(r#"{{"name":"a.zip",{object},"md5":"d4","feed":false}}"#), false),
            (format!(r#"{{"name":"RELEASES",{object},"md5":"","length":7,"feed":true}}"#), true),
        ] {
            let file: SessionFile = serde_json::from_str(&row).unwrap();
            assert_eq!((file.is_feed(), file.digests().is_some()), (is_feed, !is_feed), "{row}");
            assert_eq!(serde_json::to_string(&file).unwrap(), row);
        }
    }
}
