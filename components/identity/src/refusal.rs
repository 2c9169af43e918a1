//! Answers to jobs that get no token. Claims are public, so the texts say what a token says.

use spindrift_auth::IdentityTokenError;
use spindrift_core::PublisherRefusal;
use spindrift_web::{ApiError, ErrorCode, Reason};

/// 401: nobody has proved anything.
pub(crate) fn invalid(error: &IdentityTokenError) -> ApiError {
    ApiError::Unauthorized(Reason::new(ErrorCode::InvalidIdentity, error.to_string()))
}

/// 401: the token was exchanged before.
pub(crate) fn used() -> ApiError {
    let text = "this token was exchanged before, and each is good once: let the job ask for another one";
    ApiError::Unauthorized(Reason::new(ErrorCode::InvalidIdentity, text))
}

/// 403: the job is somebody else.
pub(crate) fn refused(refusal: &PublisherRefusal) -> ApiError {
    let code = match refusal {
        PublisherRefusal::Mismatch(_) => ErrorCode::PublisherMismatch,
        PublisherRefusal::Changed { .. } => ErrorCode::PublisherChanged,
    };
    ApiError::Forbidden(Reason::new(code, refusal.to_string()))
}

/// 503: the issuer's keys are not known.
pub(crate) fn unavailable(issuer: &str, reason: &str) -> ApiError {
    let text = format!("the issuer {issuer} cannot be asked for its keys: {reason}");
    ApiError::Unavailable {
        public: Reason::new(ErrorCode::IdentityProviderUnavailable, text.clone()),
        internal: text,
    }
}
