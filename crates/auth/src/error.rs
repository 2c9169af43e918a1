//! What can go wrong with credentials.

/// Why a credential is not accepted. The texts are part of the interface, except those of the two variants that are
/// the operator's business.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// There is no `Authorization` header.
    #[error("missing authorization header")]
    MissingHeader,
    /// The header is not `Bearer` and one token.
    #[error("invalid token format")]
    BadFormat,
    /// Not a token of ours: malformed, another algorithm, a wrong signature, claims missing.
    #[error("invalid token")]
    InvalidToken,
    /// A token of ours whose time is over.
    #[error("token expired")]
    Expired,
    /// Not a report key, or no header at all.
    #[error("invalid report key")]
    InvalidReportKey,
    /// Not a download token.
    #[error("invalid download token")]
    InvalidDownloadToken,
    /// A new password is too short or too long.
    #[error("invalid password: 8 to 1024 characters")]
    PasswordLength,
    /// The configured secret is too short to sign with. For the log.
    #[error("the JWT secret must have at least 32 bytes")]
    WeakSecret,
    /// Signing or hashing failed, which only a defect can cause. For the log.
    #[error("could not {0}")]
    Internal(&'static str),
}
