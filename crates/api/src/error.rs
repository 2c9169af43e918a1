//! Answers that say no.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Body of every answer that says no. `POST /reports/ingest` answers `error` alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// For people.
    pub error: String,
    /// For programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// The files of the upload that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Where the log has more to say: by this identifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Each code once: its description, its name and its word.
macro_rules! error_codes {
    ($($(#[$doc:meta])* $code:ident = $word:literal,)*) => {
        /// Why an answer says no, in a word that programs can act by. `docs/api/errors.md` has the statuses.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])* $code,)*
            /// A word that this version does not know.
            Other(String),
        }

        impl ErrorCode {
            /// All that are known.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The word.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$code => $word,)*
                    Self::Other(word) => word,
                }
            }
        }
    };
}

error_codes! {
    /// The input is invalid; the text says what of it.
    BadRequest = "bad_request",
    /// Something that must be there is missing; the text names it.
    MissingField = "missing_field",
    /// The application has TUF enabled, and a file has no SHA-256 and SHA-512.
    DigestsRequired = "digests_required",
    /// There is no token, or none that is accepted.
    Unauthorized = "unauthorized",
    /// The token's time is over.
    TokenExpired = "token_expired",
    /// No user has this name and this password.
    WrongCredentials = "wrong_credentials",
    /// Not the key that signing up takes.
    WrongApiKey = "wrong_api_key",
    /// The caller may not do this.
    Forbidden = "forbidden",
    /// The call is for people; CI tokens only upload.
    NotForCiTokens = "not_for_ci_tokens",
    /// The service does not count devices.
    TelemetryDisabled = "telemetry_disabled",
    /// There is no such thing for this caller.
    NotFound = "not_found",
    /// The path is known, with other methods.
    MethodNotAllowed = "method_not_allowed",
    /// It contradicts what is stored.
    Conflict = "conflict",
    /// The name is taken.
    AlreadyExists = "already_exists",
    /// The release has a file in this place.
    ArtifactExists = "artifact_exists",
    /// The version is there, in another channel.
    VersionExists = "version_exists",
    /// Releases or uploads under way need it.
    InUse = "in_use",
    /// Another call is at it: try again in a moment.
    Busy = "busy",
    /// The upload's time is over: begin a new one.
    UploadExpired = "upload_expired",
    /// More bytes than the limit.
    TooLarge = "too_large",
    /// Another content type is needed.
    UnsupportedMediaType = "unsupported_media_type",
    /// Files of the upload are not in the storage: send them, and complete again.
    FilesMissing = "files_missing",
    /// Files of the upload have another length than was declared.
    SizeMismatch = "size_mismatch",
    /// Files of the upload have other digests than were declared.
    DigestMismatch = "digest_mismatch",
    /// Too many requests: `Retry-After` says when to try again.
    RateLimited = "rate_limited",
    /// The service failed.
    Internal = "internal",
    /// The storage driver cannot do this.
    NotSupported = "not_supported",
    /// The object storage answered with an error, or not at all.
    StorageFailed = "storage_failed",
    /// Something that the service needs cannot be asked.
    Unavailable = "unavailable",
    /// The object storage is not configured, or refuses the service.
    StorageNotConfigured = "storage_not_configured",
    /// The database cannot be asked.
    DatabaseUnavailable = "database_unavailable",
    /// The key-value store cannot be asked.
    KeyValueUnavailable = "key_value_unavailable",
    /// A setting is missing or cannot be used.
    SettingsUnavailable = "settings_unavailable",
    /// An edge cannot ask the service that it is an edge of.
    OriginUnavailable = "origin_unavailable",
}

impl From<String> for ErrorCode {
    fn from(word: String) -> Self {
        let known = Self::ALL.iter().find(|code| code.as_str() == word).cloned();
        known.unwrap_or(Self::Other(word))
    }
}

impl From<ErrorCode> for String {
    fn from(code: ErrorCode) -> Self {
        code.as_str().to_owned()
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_lists_every_code() {
        let listed: Vec<&str> = include_str!("../../../docs/api/errors.md")
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
            .map(|(word, _)| word)
            .collect();
        let known: Vec<&str> = ErrorCode::ALL.iter().map(ErrorCode::as_str).collect();
        assert_eq!(listed, known);
    }

    #[test]
    fn unknown_words_are_kept() {
        for word in ["busy", "of_tomorrow"] {
            let json = format!(r#"{{"error":"e","code":"{word}"}}"#);
            let body: ErrorBody = serde_json::from_str(&json).unwrap();
            assert_eq!(body.code.as_ref().map(ErrorCode::as_str), Some(word));
            assert_eq!(serde_json::to_string(&body).unwrap(), json);
        }
        assert_eq!(ErrorCode::from("busy".to_owned()), ErrorCode::Busy);
    }
}
