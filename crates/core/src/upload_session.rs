//! A presigned upload between init and completion.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FileName, Id, StoredObject, Target, Timestamp, Updater, UserName, Version};

/// How far a session has come.
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

/// Who started a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Starter {
    /// A user, by identifier.
    User(Id),
    /// A CI token, by identifier.
    Token(Id),
}

/// The release to record, as given at init.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRelease {
    /// The version.
    pub version: Version,
    /// The updater whose rules the files follow.
    pub updater: Updater,
    /// Offer it at once.
    pub publish: bool,
    /// Mark it critical.
    pub critical: bool,
    /// Mark it a required intermediate.
    pub intermediate: bool,
    /// Percent, 0-100.
    pub rollout: u8,
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
    /// Bytes, if declared.
    pub length: Option<u64>,
    /// Its purpose.
    pub kind: SessionFileKind,
}

/// The purpose of a session's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionFileKind {
    /// It becomes an artifact, and its bytes must have these digests.
    Artifact(DeclaredDigests),
    /// It is a feed: it is read and compared with the artifacts.
    Feed,
}

/// Digests of a file, in hex, as declared by its uploader.
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

    /// The digests of an artifact; `None`: it is a feed.
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
    #[serde(default)]
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
    /// Who started it.
    pub started_by: Starter,
    /// Where the artifacts belong.
    pub target: Target,
    /// The release to record.
    pub release: SessionRelease,
    /// The files.
    pub files: Vec<SessionFile>,
    /// Its state.
    pub state: SessionState,
    /// When the presigned URLs expire.
    pub expires_at: Timestamp,
    /// What was compared with a file's bytes, by file name: the tag of the object and the digests. While both stay the
    /// same, the bytes need not be read again.
    pub verified: BTreeMap<String, String>,
}

#[cfg(test)]
mod tests {
    use super::*;

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
