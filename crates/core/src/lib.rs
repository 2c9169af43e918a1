//! The domain of Spindrift: pure rules without clock, randomness or IO.

mod catalog;
mod choose;
mod id;
mod names;
mod object_path;
mod package;
mod permission;
mod release;
mod rollout;
mod scope;
mod time;
mod updater;
mod upload;
mod upload_session;
mod version;

pub use catalog::{App, AppFlags, Arch, Channel, Platform, TeamMembership, Token, User};
pub use choose::{Asker, Decision, Fallback, decide};
pub use id::Id;
pub use names::{AppName, ArchName, ChannelName, InvalidName, MAX_NAME_LENGTH, PlatformName, UserName};
pub use object_path::{artifact_path, staging_path, staging_prefix};
pub use package::{InvalidPackage, MAX_PACKAGE_LENGTH, Package};
pub use permission::{Action, Actor, AppPermissions, DimensionPermissions, Permissions, Resource};
pub use release::{Artifact, Release, ReleaseFlags, StoredObject, Target, Visibility};
pub use rollout::{Rollout, bucket};
pub use scope::{Scope, ScopeArtifact, ScopeRecord, ScopeRelease, keep_answers};
pub use time::Timestamp;
pub use updater::{InvalidUpdaters, PlatformUpdater, PlatformUpdaters, UnsupportedUpdater, Updater};
pub use upload::{
    FeedKind, FeedName, FileEntry, FileName, InvalidDigest, InvalidFileName, InvalidManifest,
    InvalidMetadata, MAX_FEED_BYTES, MAX_FEEDS_PER_UPLOAD, MAX_FILE_BYTES, MAX_FILE_NAME_BYTES,
    MAX_FILES_PER_UPLOAD, MAX_MANIFEST_BYTES, MAX_METADATA_BYTES, Md5Digest, NotAFeed, ReleaseMetadata,
    Sha256Hex, Sha512Hex, Upload, UploadRuleError, check_upload, parse_manifest, tauri_artifact,
};
pub use upload_session::{SessionFile, SessionRelease, SessionState, Starter, UploadSession};
pub use version::{InvalidVersion, MAX_VERSION_LENGTH, Version};
