//! Errors of adding files to releases.

use spindrift_core::feeds::FeedError;
use spindrift_core::{
    ChannelName, FileName, InvalidPackages, InvalidPatches, InvalidValue, NotAFeed, UploadRuleError, Version,
};
use spindrift_db::{SqlError, SqlFailure};
use spindrift_settings::SettingError;
use spindrift_storage::StorageError;
use spindrift_web::ApiError;

use crate::ServiceError;

/// Why files were not added to a release. `failure.rs` maps these errors to answers.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The upload has expired, so its files may be deleted.
    #[error("the upload has expired")]
    UploadExpired,
    /// These files have not been uploaded yet.
    #[error("missing files: {}", file_names(.0))]
    FilesMissing(Vec<FileName>),
    /// These files do not have their declared lengths.
    #[error("size mismatch: {}", file_names(.0))]
    SizeMismatch(Vec<FileName>),
    /// These files do not have their declared digests.
    #[error("digest mismatch: {}", file_names(.0))]
    DigestMismatch(Vec<FileName>),
    /// A file lacks digests that its application requires.
    #[error("sha256 and sha512 are required for applications with TUF enabled")]
    DigestsRequired,
    /// Another call has claimed the file's key.
    #[error("{0} is being uploaded or deleted by another call")]
    FileInUse(FileName),
    /// The release already has an artifact in the file's slot.
    #[error("an artifact for {0} exists")]
    ArtifactExists(FileName),
    /// Clients see the files of this feed, so a CI token must not replace it.
    #[error(
        "clients see the files of {0} already, so a CI token cannot replace it: upload a new version, or let a \
         person replace it"
    )]
    FeedIsVisible(FileName),
    /// Like [`Self::ArtifactExists`], for a release whose version is spelled differently.
    #[error(
        "an artifact for {file} exists: {given} is the same version as {existing}, because a build after + and \
         zeros at the end do not count; see docs/versions.md"
    )]
    SameVersion { file: FileName, given: String, existing: String },
    /// The version is in another channel.
    #[error("version {0} exists in another channel")]
    VersionInOtherChannel(Version),
    /// The release was promoted to these channels, which would lack the new files.
    #[error(
        "the release was promoted to {}: end the promotion, add the files, and promote it again",
        channel_names(.0)
    )]
    Promoted(Vec<ChannelName>),
    /// The application, or a part of the target, was deleted since the upload was started.
    #[error("what the upload was started for has been deleted")]
    TargetDeleted,
    /// The files were meant for another bucket.
    #[error("the application has become {0} since the upload was started")]
    VisibilityChanged(&'static str),
    /// The owner has no channel, platform or architecture with the name.
    #[error("unknown {0}")]
    UnknownDimension(&'static str),
    /// The name of a file is invalid.
    #[error("invalid {0}")]
    InvalidFileName(InvalidValue),
    /// The storage would reject the key of the file.
    #[error("the file name {0} makes no storage key")]
    NoStorageKey(FileName),
    /// The form contains two files with this name.
    #[error("duplicate file name: {0}")]
    DuplicateFile(FileName),
    /// The form contains more files than an upload may have.
    #[error("too many files")]
    TooManyFiles,
    /// The form contains a field that is not allowed.
    #[error("unexpected field {0}")]
    UnexpectedField(String),
    /// A file is larger than this, in bytes.
    #[error("a file is larger than {0} bytes")]
    FileTooLarge(u64),
    /// A file needs more parts than the storage allows.
    #[error("a file has too many parts")]
    TooManyParts,
    /// The files together are not a valid upload.
    #[error(transparent)]
    Rules(#[from] UploadRuleError),
    /// The patches do not fit the files.
    #[error(transparent)]
    Patches(#[from] InvalidPatches),
    /// The given packages do not fit the files.
    #[error(transparent)]
    Packages(#[from] InvalidPackages),
    /// A feed or a signature does not fit the files.
    #[error(transparent)]
    Feed(#[from] FeedError),
    /// A file with the name of a feed is not a feed.
    #[error(transparent)]
    NotAFeed(#[from] NotAFeed),
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The object storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The form could not be read.
    #[error(transparent)]
    Http(#[from] ApiError),
    /// A use case shared by several components failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

fn channel_names(names: &[ChannelName]) -> String {
    names.iter().map(ChannelName::as_str).collect::<Vec<_>>().join(", ")
}

fn file_names(names: &[FileName]) -> String {
    names.iter().map(FileName::as_str).collect::<Vec<_>>().join(", ")
}

impl SqlFailure for PublishError {
    fn sql_error(&self) -> Option<&SqlError> {
        match self {
            Self::Sql(error) => Some(error),
            Self::Service(error) => error.sql_error(),
            _ => None,
        }
    }
}
