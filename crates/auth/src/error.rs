//! Errors of credentials.

/// Why a credential is rejected. The messages are part of the interface, except for the two
/// variants that only concern the operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// There is no `Authorization` header.
    #[error("missing authorization header")]
    MissingHeader,
    /// The header is not `Bearer` followed by one token.
    #[error("invalid token format")]
    BadFormat,
    /// Not a token of this service: malformed, another algorithm, a wrong signature or missing claims.
    #[error("invalid token")]
    InvalidToken,
    /// A token of this service that has expired.
    #[error("token expired")]
    Expired,
    /// Not a report key, or no header.
    #[error("invalid report key")]
    InvalidReportKey,
    /// Not a download token.
    #[error("invalid download token")]
    InvalidDownloadToken,
    /// Not the secret of an invitation.
    #[error("invalid invitation: copy the whole link")]
    InvalidInvitation,
    /// A new password is too short or too long.
    #[error("invalid password: 8 to 1024 characters")]
    PasswordLength,
    /// The configured secret is too short to sign with. For the log.
    #[error("the JWT secret must have at least 32 bytes")]
    WeakSecret,
    /// Signing or hashing failed, which only a bug can cause. For the log.
    #[error("could not {0}")]
    Internal(&'static str),
}
