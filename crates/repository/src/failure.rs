//! The answers to errors of repositories.

use spindrift_service::Failure;
use spindrift_settings::TUF_SECRET;
use spindrift_trust::TrustError;
use spindrift_web::{ApiError, ErrorCode, Reason};

use crate::error::RepositoryError;

/// The only mapping of this crate's errors to answers.
impl From<RepositoryError> for Failure {
    fn from(error: RepositoryError) -> Self {
        use RepositoryError as Error;
        let text = error.to_string();
        let answer = match error {
            Error::NoRepository | Error::NothingStaged => ApiError::NotFound(text.into()),
            Error::AlreadyExists => ApiError::conflict(ErrorCode::AlreadyExists, text),
            Error::TufOff => ApiError::conflict(ErrorCode::TufOff, text),
            Error::TargetsChanged => ApiError::conflict(ErrorCode::TargetsChanged, text),
            Error::NameTaken
            | Error::Promoted(_)
            | Error::NoRootYet
            | Error::NoTargetsYet
            | Error::RootExpired
            | Error::TargetsExpired => ApiError::Conflict(text.into()),
            Error::TargetsOfPublisher | Error::NotConfirmed | Error::InvalidSetting { .. } => {
                ApiError::bad_request(text)
            }
            Error::InUse | Error::Overtaken | Error::DigestsUnknown => ApiError::Busy(text.into()),
            Error::Trust(TrustError::Metadata(_) | TrustError::Root(_) | TrustError::Targets(_)) => {
                ApiError::BadRequest(Reason::new(ErrorCode::InvalidMetadata, text))
            }
            Error::Trust(TrustError::Signature | TrustError::Unsigned) => {
                ApiError::BadRequest(Reason::new(ErrorCode::InvalidSignature, text))
            }
            Error::Trust(TrustError::TooLarge) => ApiError::TooLarge(text.into()),
            Error::Trust(TrustError::WeakSecret) => {
                return TUF_SECRET.missing().into();
            }
            Error::Trust(TrustError::Internal(_)) | Error::Corrupt(_) => {
                ApiError::Internal { internal: text }
            }
            Error::Setting(error) => return error.into(),
            Error::Sql(error) => return error.into(),
            Error::Storage(error) => return error.into(),
            Error::Service(error) => return error.into(),
        };
        answer.into()
    }
}
