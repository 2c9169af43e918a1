//! The answers to this crate's errors.

use spindrift_core::FileName;
use spindrift_web::{ApiError, ErrorCode, FileProblem, Reason};

use super::error::PublishError;
use crate::Failure;

impl From<PublishError> for Failure {
    fn from(error: PublishError) -> Self {
        use PublishError as Error;
        let text = error.to_string();
        let answer = match error {
            Error::UploadExpired => ApiError::Gone(text.into()),
            Error::FilesMissing(files) => unfit_files(FileProblem::Missing, &files),
            Error::SizeMismatch(files) => unfit_files(FileProblem::Size, &files),
            Error::DigestMismatch(files) => unfit_files(FileProblem::Digest, &files),
            Error::DigestsRequired => ApiError::BadRequest(Reason::new(ErrorCode::DigestsRequired, text)),
            Error::FileInUse(_) => ApiError::conflict(ErrorCode::Busy, text),
            Error::ArtifactExists(_) | Error::SameVersion { .. } => {
                ApiError::conflict(ErrorCode::ArtifactExists, text)
            }
            Error::VersionInOtherChannel(_) => ApiError::conflict(ErrorCode::VersionExists, text),
            Error::FeedIsVisible(_) => ApiError::conflict(ErrorCode::WrongState, text),
            Error::Promoted(_) | Error::TargetDeleted | Error::VisibilityChanged(_) => {
                ApiError::Conflict(text.into())
            }
            Error::UnknownDimension(_)
            | Error::InvalidFileName(_)
            | Error::NoStorageKey(_)
            | Error::DuplicateFile(_)
            | Error::TooManyFiles
            | Error::UnexpectedField(_)
            | Error::Rules(_)
            | Error::Patches(_)
            | Error::Packages(_)
            | Error::Feed(_)
            | Error::NotAFeed(_) => ApiError::bad_request(text),
            Error::FileTooLarge(_) | Error::TooManyParts => ApiError::TooLarge(text.into()),
            Error::Setting(error) => return error.into(),
            Error::Sql(error) => return error.into(),
            Error::Storage(error) => return error.into(),
            Error::Http(error) => error,
            Error::Service(error) => return error.into(),
        };
        answer.into()
    }
}

fn unfit_files(problem: FileProblem, files: &[FileName]) -> ApiError {
    let files = files.iter().map(|name| name.as_str().to_owned()).collect();
    ApiError::UnfitFiles { problem, files }
}
