//! A presigned upload between init and completion.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FileName, Id, StoredObject, Target, Timestamp, Updater, UserName, Version};

/// How far a session has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionState {
    /// Nothing is recorded yet.
    Staged,
    /// Its time is over: the staged objects are being taken away.
    Expired,
    /// The release has the artifacts; staged objects may remain.
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

/// What the release is to be, as given at init.
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
}

/// One file of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionFile {
    /// Its name, without a path.
    pub name: FileName,
    /// Where its artifact is to be stored.
    pub object: StoredObject,
    /// Lower-case hex.
    pub md5: String,
    /// As given: checked at completion, and only for applications with TUF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// As given: checked at completion, and only for applications with TUF.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha512: Option<String>,
    /// Bytes, when declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<u64>,
    /// Whether it came inline with init.
    #[serde(default)]
    pub feed: bool,
}

/// A presigned upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadSession {
    /// Identifier; also the folder of its staged objects.
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
    /// What the release is to be.
    pub release: SessionRelease,
    /// The files.
    pub files: Vec<SessionFile>,
    /// How far it has come.
    pub state: SessionState,
    /// When the presigned URLs end.
    pub expires_at: Timestamp,
    /// What was compared with the bytes of a file, by its name: the object's tag and the digests. As long as both stay the
    /// same, the bytes need not be read again.
    pub verified: BTreeMap<String, String>,
}
