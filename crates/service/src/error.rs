//! Errors of the use cases that components share.

use spindrift_auth::{AuthError, PasskeyError};
use spindrift_core::webhook::HaltLinkEnded;
use spindrift_core::{
    ChangeRefused, DeviceGroupName, InvalidClientFact, MAX_RECORD_DEVICES, UnsupportedUpdater,
};
use spindrift_db::{SqlError, SqlFailure};
use spindrift_settings::SettingError;
use spindrift_storage::StorageError;
use spindrift_web::{ApiError, KeyValueError, Reason};

/// The reasons why a use case failed. `failure.rs` maps them to answers.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The caller may see nothing with this name. Holds the kind of name.
    #[error("{0} not found")]
    UnknownName(&'static str),
    /// The owner uses names of this kind, so the request has to send one.
    #[error("{0} is required")]
    NameRequired(&'static str),
    /// The origin of an edge deployment does not know the scope.
    #[error("{0}")]
    UnknownAtOrigin(Reason),
    /// The origin of an edge deployment does not accept the scope.
    #[error("{0}")]
    RefusedByOrigin(Reason),
    /// The origin of an edge deployment did not return a record.
    #[error("the origin is unavailable: {0}")]
    OriginUnavailable(String),
    /// The platform does not offer the updater.
    #[error(transparent)]
    UnsupportedUpdater(#[from] UnsupportedUpdater),
    /// The release was withdrawn.
    #[error("the release was withdrawn")]
    Withdrawn,
    /// A fact that the client sent about itself cannot be parsed.
    #[error(transparent)]
    InvalidClientFact(#[from] InvalidClientFact),
    /// There is no release for the client.
    #[error("release not found")]
    NothingOffered,
    /// The application does not exist, or has no matching builds.
    #[error("No matching data found for the provided parameters")]
    NoBuilds,
    /// The halt link is not valid any more.
    #[error(transparent)]
    HaltLinkEnded(#[from] HaltLinkEnded),
    /// The release cannot be changed in this way.
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
    /// The caller lacks a permission, which the text names.
    #[error("not allowed: {0}")]
    Denied(String),
    /// A passkey is not accepted.
    #[error(transparent)]
    Passkey(#[from] PasskeyError),
    /// The owner demands a passkey, and the caller has none.
    #[error("your team needs passkeys: add one in the console, under \"People and keys\"")]
    PasskeyRequired,
    /// The caller's last proof is too old for this change.
    #[error("this change needs a fresh login")]
    FreshLoginRequired,
    /// Only people may do this.
    #[error("not allowed with a CI token")]
    NotForCiTokens,
    /// The caller has sent too many requests.
    #[error("rate limit exceeded")]
    TooManyRequests {
        /// Seconds to wait.
        retry_after: u32,
    },
    /// The change would leave installed copies without an answer.
    #[error("this would cut off installed copies")]
    WouldCutOff {
        /// Number of devices, or `None` if devices are not counted.
        devices: Option<u64>,
    },
    /// Another call has claimed a file.
    #[error("{0} is in use by another call")]
    FileInUse(&'static str),
    /// Another application has the report key.
    #[error("the report key is used by another application")]
    ReportKeyTaken,
    /// The report key belonged to another owner.
    #[error("the report key was used by another owner")]
    FormerReportKey,
    /// Stored data, or data made from it, is invalid. This is a bug.
    #[error("{0}")]
    Internal(String),
    /// A setting of the object storage is invalid.
    #[error(transparent)]
    StorageSetting(SettingError),
    /// A setting is invalid or cannot be read.
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Sql(#[from] SqlError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error(transparent)]
    KeyValue(#[from] KeyValueError),
    /// A request could not be read, or a response could not be written.
    #[error(transparent)]
    Http(#[from] ApiError),
}

impl ServiceError {
    /// Whether a name of this kind does not exist, here or at the origin of an edge.
    pub fn is_unknown(&self, kind: &'static str) -> bool {
        match self {
            Self::UnknownName(unknown) => *unknown == kind,
            Self::UnknownAtOrigin(reason) => reason.to_string() == Self::UnknownName(kind).to_string(),
            _ => false,
        }
    }

    /// Whether the scope that a request names does not exist. A failed store or an invalid setting does not
    /// show that.
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
