//! Errors of metadata as answers.

use spindrift_service::Failure;
use spindrift_settings::TUF_SECRET;
use spindrift_trust::TrustError;
use spindrift_web::{ApiError, ErrorCode, Reason};

/// The answer to metadata that is refused, or that could not be made.
#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
pub fn refused(error: TrustError) -> Failure {
    let code = match error {
        TrustError::Metadata(_) | TrustError::Root(_) | TrustError::Targets(_) => ErrorCode::InvalidMetadata,
        TrustError::Signature | TrustError::Unsigned => ErrorCode::InvalidSignature,
        TrustError::TooLarge => return ApiError::TooLarge(error.to_string().into()).into(),
        TrustError::WeakSecret => {
            return TUF_SECRET.unusable("is missing or has a part of less than 32 bytes").into();
        }
        TrustError::Internal(_) => return ApiError::Internal { internal: error.to_string() }.into(),
    };
    ApiError::BadRequest(Reason::new(code, error.to_string())).into()
}

/// The failure for stored data that cannot be what was stored.
pub(crate) fn corrupt(what: &str) -> Failure {
    ApiError::Internal { internal: format!("the stored {what} cannot be read") }.into()
}

/// 409 for a list that was made from one that is not current any more.
pub(crate) fn targets_changed() -> Failure {
    ApiError::conflict(ErrorCode::TargetsChanged, "targets have changed").into()
}

/// 404 without a repository.
pub fn no_repository() -> Failure {
    ApiError::not_found("repository").into()
}
