//! Errors of repositories.

use std::borrow::Cow;

use spindrift_core::Version;
use spindrift_db::{SqlError, SqlFailure};
use spindrift_service::ServiceError;
use spindrift_settings::SettingError;
use spindrift_storage::StorageError;
use spindrift_trust::TrustError;

/// The reasons why a call on a repository failed. `failure.rs` maps them to answers.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// The application has no repository.
    #[error("repository not found")]
    NoRepository,
    /// The application already has a repository.
    #[error("repository already exists")]
    AlreadyExists,
    /// Another application's repository has the name.
    #[error("the name belongs to another repository")]
    NameTaken,
    /// The application does not require signed metadata.
    #[error("tuf is off")]
    TufOff,
    /// A release was promoted without copies of its files, so lists of the channel could not name them.
    #[error(
        "version {0} was promoted to another channel: end the promotion, and promote it again afterwards"
    )]
    Promoted(Version),
    /// The role has no metadata that waits for signatures.
    #[error("metadata pending signatures not found")]
    NothingStaged,
    /// A list was made from one that is no longer current.
    #[error("targets have changed")]
    TargetsChanged,
    /// Root waits for signatures, so nothing else can be signed.
    #[error("root lacks signatures")]
    NoRootYet,
    /// There is no list yet, so nothing can be signed again.
    #[error("there are no targets yet")]
    NoTargetsYet,
    /// Root has expired. A new one is signed offline.
    #[error("root has expired")]
    RootExpired,
    /// Targets have expired. Only their publisher can sign new ones.
    #[error("targets have expired")]
    TargetsExpired,
    /// The service was asked to sign targets that a publisher signs.
    #[error("targets are signed by the publisher")]
    TargetsOfPublisher,
    /// The name that should confirm the end is wrong.
    #[error("confirm does not match: it must be the name of the application")]
    NotConfirmed,
    /// The setting does not exist, or its value is out of range.
    #[error("invalid settings: {name}: {rule}")]
    InvalidSetting {
        /// The name of the setting, truncated.
        name: String,
        rule: Cow<'static, str>,
    },
    /// Another call is working on the repository, and may do what this one was asked to do.
    #[error("the signed metadata is being changed by another call")]
    InUse,
    /// Another call has changed what is current in the meantime.
    #[error("the signed metadata was changed by another call")]
    Overtaken,
    /// More files have to be read than one call may read.
    #[error("the digests of more files have to be computed first")]
    DigestsUnknown,
    /// The metadata is refused, or could not be created.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Stored data is not what was stored. Holds its name.
    #[error("the stored {0} cannot be read")]
    Corrupt(String),
    /// A setting is unusable.
    #[error(transparent)]
    Setting(#[from] SettingError),
    #[error(transparent)]
    Sql(#[from] SqlError),
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A use case that components share failed.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl RepositoryError {
    /// The error for stored data, named by `what`, that cannot be what was stored.
    pub(crate) fn corrupt(what: &str) -> Self {
        Self::Corrupt(what.to_owned())
    }

    /// Whether the service can sign nothing until a role is signed offline.
    pub(crate) const fn needs_offline_signature(&self) -> bool {
        matches!(self, Self::NoRootYet | Self::RootExpired | Self::TargetsExpired)
    }

    /// Whether another call is working on the repository and does this call's work too.
    pub(crate) const fn is_left_to_another_call(&self) -> bool {
        matches!(self, Self::InUse | Self::Overtaken)
    }
}

impl SqlFailure for RepositoryError {
    fn sql_error(&self) -> Option<&SqlError> {
        match self {
            Self::Sql(error) => Some(error),
            Self::Service(error) => error.sql_error(),
            _ => None,
        }
    }
}
