//! Errors of the use cases that components share.

use spindrift_auth::AuthError;
use spindrift_core::{ChangeRefused, DeviceGroupName, InvalidSaid, MAX_RECORD_DEVICES, UnsupportedUpdater};
use spindrift_db::{SqlError, SqlFailure};
use spindrift_settings::SettingError;
use spindrift_storage::StorageError;
use spindrift_web::{ApiError, KeyValueError, Reason};

/// The reasons why a use case failed. `failure.rs` maps them to answers.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// Nothing that the caller may know of has the name. The kind of name is given.
    #[error("{0} not found")]
    UnknownName(&'static str),
    /// The owner gives such names, so a request has to send one.
    #[error("{0} is required")]
    NameRequired(&'static str),
    /// The origin of an edge deployment does not know the scope.
    #[error("{0}")]
    UnknownAtOrigin(Reason),
    /// The origin of an edge deployment does not accept the scope.
    #[error("{0}")]
    RefusedByOrigin(Reason),
    /// The origin of an edge deployment gives no record.
    #[error("the origin is unavailable: {0}")]
    OriginUnavailable(String),
    /// The platform does not offer the updater.
    #[error(transparent)]
    UnsupportedUpdater(#[from] UnsupportedUpdater),
    /// The release was withdrawn.
    #[error("the release was withdrawn")]
    Withdrawn,
    /// The client says something about itself that cannot be read.
    #[error(transparent)]
    InvalidSaid(#[from] InvalidSaid),
    /// There is no release for the client.
    #[error("release not found")]
    NothingOffered,
    /// The application does not exist, or has no builds that fit.
    #[error("No matching data found for the provided parameters")]
    NoBuilds,
    /// The release cannot be changed like this.
    #[error(transparent)]
    Refused(#[from] ChangeRefused),
    /// The application has no group of this name.
    #[error("unknown group: {0}")]
    UnknownGroup(DeviceGroupName),
    /// A record has no room for so many devices.
    #[error(
        "too many devices in groups: those that releases let in have at most {MAX_RECORD_DEVICES} together"
    )]
    TooManyGroupDevices,
    /// The request lacks a field or a parameter.
    #[error("missing {0}")]
    MissingField(&'static str),
    /// The request has no valid credential.
    #[error(transparent)]
    Unauthenticated(#[from] AuthError),
    /// The caller has no permission. The text says what is missing.
    #[error("not allowed: {0}")]
    Denied(String),
    /// Only people may do this.
    #[error("not allowed with a CI token")]
    NotForCiTokens,
    /// The caller has sent too many requests.
    #[error("rate limit exceeded")]
    TooManyRequests {
        /// Seconds to wait.
        retry_after: u32,
    },
    /// Installed copies would no longer be answered.
    #[error("this would cut off installed copies")]
    WouldCutOff {
        /// The number of devices. `None`: they are not counted.
        devices: Option<u64>,
    },
    /// Another call has claimed a file.
    #[error("{0} is in use by another call")]
    FileInUse(&'static str),
    /// Another application has the report key.
    #[error("the report key is used by another application")]
    ReportKeyTaken,
    /// Another owner had the report key.
    #[error("the report key was used by another owner")]
    FormerReportKey,
    /// Stored data, or data made from it, is invalid. This is a bug.
    #[error("{0}")]
    Internal(String),
    /// A setting of the object storage cannot be used.
    #[error(transparent)]
    StorageSetting(SettingError),
    /// A setting cannot be used, or not be read.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The database failed.
    #[error(transparent)]
    Sql(#[from] SqlError),
    /// The object storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The key-value store failed.
    #[error(transparent)]
    KeyValue(#[from] KeyValueError),
    /// A request could not be read, or a response not be written.
    #[error(transparent)]
    Http(#[from] ApiError),
}

impl ServiceError {
    /// Whether this kind of name does not exist, here or at the origin of an edge.
    pub fn is_unknown(&self, kind: &'static str) -> bool {
        match self {
            Self::UnknownName(unknown) => *unknown == kind,
            Self::UnknownAtOrigin(reason) => reason.to_string() == Self::UnknownName(kind).to_string(),
            _ => false,
        }
    }

    /// Whether there is no scope with the names of a request. A store or a setting that failed says nothing about that.
    pub const fn is_unknown_scope(&self) -> bool {
        matches!(
            self,
            Self::UnknownName(_)
                | Self::NameRequired(_)
                | Self::UnknownAtOrigin(_)
                | Self::RefusedByOrigin(_)
        )
    }
}

impl SqlFailure for ServiceError {
    fn sql_error(&self) -> Option<&SqlError> {
        match self {
            Self::Sql(error) => Some(error),
            _ => None,
        }
    }
}
