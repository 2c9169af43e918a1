//! The errors that stop a handler, either with an answer for the caller or because a store failed, and the
//! answers to the errors of this crate.

use std::borrow::Cow;

use spindrift_auth::{AuthError, PasskeyError};
use spindrift_core::ChangeRefused;
use spindrift_db::{SqlError, SqlFailure};
use spindrift_settings::SettingError;
use spindrift_storage::StorageError;
use spindrift_web::{ApiError, ErrorCode, KeyValueError, Reason};

use crate::error::ServiceError;

/// All errors that `?` can return from a handler. [`Failure::into_api`] is the only place that maps store
/// errors to answers.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An answer for the caller.
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error(transparent)]
    Sql(#[from] SqlError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<KeyValueError> for Failure {
    fn from(error: KeyValueError) -> Self {
        Self::Api(error.into())
    }
}

impl From<SettingError> for Failure {
    fn from(error: SettingError) -> Self {
        let internal = error.to_string();
        let text: Cow<'static, str> = match error {
            SettingError::Unusable { .. } => internal.clone().into(),
            SettingError::NotGranted(_) | SettingError::Unreadable(_) => {
                "the settings are unavailable".into()
            }
        };
        let public = Reason::new(ErrorCode::SettingsUnavailable, text);
        Self::Api(ApiError::Unavailable { public, internal })
    }
}

/// The only mapping of this crate's errors to answers.
impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        use ServiceError as Error;
        let text = error.to_string();
        let answer = match error {
            Error::UnknownName(_) | Error::NothingOffered | Error::NoBuilds => {
                ApiError::NotFound(text.into())
            }
            Error::Withdrawn => ApiError::Gone(Reason::new(ErrorCode::Withdrawn, text)),
            Error::HaltLinkEnded(_) => ApiError::Gone(Reason::new(ErrorCode::HaltLinkEnded, text)),
            Error::NameRequired(_)
            | Error::InvalidClientFact(_)
            | Error::UnknownGroup(_)
            | Error::UnsupportedUpdater(_)
            | Error::Refused(ChangeRefused::TooFarAhead) => ApiError::bad_request(text),
            Error::Refused(_) => ApiError::conflict(ErrorCode::WrongState, text),
            Error::UnknownAtOrigin(why) => ApiError::NotFound(why),
            Error::RefusedByOrigin(why) => ApiError::BadRequest(why),
            Error::OriginUnavailable(internal) => ApiError::Unavailable {
                public: Reason::new(ErrorCode::OriginUnavailable, "the origin is unavailable"),
                internal,
            },
            Error::MissingField(name) => ApiError::missing(name),
            Error::Unauthenticated(AuthError::Expired) => {
                ApiError::Unauthorized(Reason::new(ErrorCode::TokenExpired, text))
            }
            Error::Unauthenticated(_) => ApiError::Unauthorized(text.into()),
            Error::Denied(_) => ApiError::Forbidden(text.into()),
            Error::Passkey(PasskeyError::Damaged) => ApiError::Internal { internal: text },
            Error::Passkey(PasskeyError::UnusableAddress(_)) => ApiError::Conflict(text.into()),
            Error::Passkey(_) => ApiError::Forbidden(Reason::new(ErrorCode::InvalidPasskey, text)),
            Error::PasskeyRequired => ApiError::Forbidden(Reason::new(ErrorCode::PasskeyRequired, text)),
            Error::FreshLoginRequired => {
                ApiError::Forbidden(Reason::new(ErrorCode::FreshLoginRequired, text))
            }
            Error::NotForCiTokens => ApiError::Forbidden(Reason::new(ErrorCode::NotForCiTokens, text)),
            Error::TooManyRequests { retry_after } => ApiError::TooManyRequests { retry_after },
            Error::WouldCutOff { devices } => ApiError::WouldCutOff { devices },
            Error::FileInUse(_) => ApiError::conflict(ErrorCode::Busy, text),
            Error::ReportKeyTaken | Error::FormerReportKey | Error::TooManyGroupDevices => {
                ApiError::Conflict(text.into())
            }
            Error::Internal(internal) => ApiError::Internal { internal },
            Error::StorageSetting(error) => storage_not_configured(&error),
            Error::Setting(error) => return error.into(),
            Error::Sql(error) => return error.into(),
            Error::Storage(error) => return error.into(),
            Error::KeyValue(error) => return error.into(),
            Error::Http(error) => error,
        };
        answer.into()
    }
}

impl SqlFailure for Failure {
    fn sql_error(&self) -> Option<&SqlError> {
        match self {
            Self::Sql(error) => Some(error),
            Self::Api(_) | Self::Storage(_) => None,
        }
    }
}

impl Failure {
    /// Whether the caller is at fault, and not a store or another service.
    pub fn is_of_caller(&self) -> bool {
        matches!(self, Self::Api(error) if error.status().is_client_error())
    }

    /// The answer for the caller.
    pub fn into_api(self) -> ApiError {
        match self {
            Self::Api(error) => error,
            Self::Sql(error @ SqlError::Constraint(_)) => {
                // Handlers check constraints first, while they hold the write lock, so this is a bug in such
                // a check.
                ApiError::Internal { internal: error.to_string() }
            }
            Self::Sql(error) => ApiError::Unavailable {
                public: Reason::new(ErrorCode::DatabaseUnavailable, "the database is unavailable"),
                internal: error.to_string(),
            },
            Self::Storage(StorageError::PresignUnsupported) => {
                ApiError::NotImplemented("the storage driver does not support presigned uploads".into())
            }
            Self::Storage(error @ (StorageError::NotConfigured(_) | StorageError::Denied)) => {
                storage_not_configured(&error)
            }
            Self::Storage(error) => ApiError::Storage { internal: error.to_string() },
        }
    }
}

/// Only the log names the unusable setting.
fn storage_not_configured(error: &impl ToString) -> ApiError {
    ApiError::Unavailable {
        public: Reason::new(ErrorCode::StorageNotConfigured, "the object storage is not configured"),
        internal: error.to_string(),
    }
}
