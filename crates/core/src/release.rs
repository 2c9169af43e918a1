//! Releases and artifacts as stored.

use serde::{Deserialize, Serialize};

use crate::{FileName, Id, Package, Rollout, Timestamp, Updater, Version};

/// One version of one application in one channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Identifier.
    pub id: Id,
    /// The application.
    pub app_id: Id,
    /// Unique within the application.
    pub version: Version,
    /// `None`: the owner uses no channels.
    pub channel_id: Option<Id>,
    /// How it is offered to clients.
    pub flags: ReleaseFlags,
    /// How far it is rolled out.
    pub rollout: Rollout,
    /// Release notes; empty when there are none.
    pub changelog: String,
}

/// How a release is offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReleaseFlags {
    /// Clients see it.
    pub published: bool,
    /// Clients should not postpone this update.
    pub critical: bool,
    /// Clients must not skip this release.
    pub intermediate: bool,
}

/// The place of an artifact, by id. `None`: the owner does not use the dimension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The channel.
    pub channel_id: Option<Id>,
    /// The platform.
    pub platform_id: Option<Id>,
    /// The architecture.
    pub arch_id: Option<Id>,
}

/// Which bucket an object is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Anyone can download.
    Public,
    /// A signed link is needed.
    Private,
}

impl Visibility {
    /// The text in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Private => "private",
        }
    }

    /// The bucket for the files of an application.
    pub const fn of_app(private: bool) -> Self {
        if private { Self::Private } else { Self::Public }
    }
}

/// An object in the storage.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoredObject {
    /// Its bucket.
    pub bucket: Visibility,
    /// Its key.
    pub key: String,
}

/// One stored file of a release for one platform and architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Identifier.
    pub id: Id,
    /// The package.
    pub package: Package,
    /// The key that is unique within the release's platform and architecture; see [`FileName::slot`].
    pub slot: String,
    /// The updater it was uploaded for.
    pub updater: Updater,
    /// The name it was uploaded under.
    pub file_name: FileName,
    /// Where it is stored.
    pub object: StoredObject,
    /// Bytes, as reported by the storage.
    pub size: u64,
    /// Lower-case hex; verified by the storage.
    pub md5: String,
    /// Lower-case hex, as declared.
    pub sha256: Option<String>,
    /// Lower-case hex, as declared.
    pub sha512: Option<String>,
    /// The signature given at upload.
    pub signature: Option<String>,
    /// When it was recorded.
    pub created_at: Timestamp,
}
