//! Error answers.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::PasskeyQuestionBody;

/// Body of every error answer. `POST /reports/ingest` sends only `error`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorBody {
    /// Text for people.
    pub error: String,
    /// Code for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// The affected files of the upload.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// The devices that a change would cut off: their number, or `null` if they are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::nullable::present")]
    pub devices: Option<Option<u64>>,
    /// The question for the passkey that the login needs too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passkey: Option<PasskeyQuestionBody>,
    /// Id of the request, to find the cause in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// Lists each code once: its description, its variant and its text.
macro_rules! error_codes {
    ($($(#[$doc:meta])* $code:ident = $word:literal,)*) => {
        /// Why a request failed, as a code that programs can act on. `docs/api/errors.md` has the statuses.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        #[non_exhaustive]
        pub enum ErrorCode {
            $($(#[$doc])* $code,)*
            /// A code that this version does not know.
            Other(String),
        }

        impl ErrorCode {
            /// All known codes.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The code as it is sent.
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
    /// The input is invalid; the text says which part.
    BadRequest = "bad_request",
    /// Something required is missing; the text names it.
    MissingField = "missing_field",
    /// The application has TUF enabled, and a file has no SHA-256 and SHA-512.
    DigestsRequired = "digests_required",
    /// The metadata is not as it must be; the text says what.
    InvalidMetadata = "invalid_metadata",
    /// A signature does not verify, or is of a key that the role does not have.
    InvalidSignature = "invalid_signature",
    /// The token is missing or not accepted.
    Unauthorized = "unauthorized",
    /// The token has expired.
    TokenExpired = "token_expired",
    /// The login of the program has not been allowed yet: ask again after the interval.
    AuthorizationPending = "authorization_pending",
    /// The program asks more often than the interval says.
    SlowDown = "slow_down",
    /// The login of the program was not allowed in time, or the program has it already.
    ExpiredToken = "expired_token",
    /// A person refused to let the program log in.
    AccessDenied = "access_denied",
    /// No user has this name and password.
    WrongCredentials = "wrong_credentials",
    /// The password is right, and the account has a passkey, which the login needs too.
    SecondFactorRequired = "second_factor_required",
    /// The passkey is not the user's, or its answer is not valid; the text says why.
    InvalidPasskey = "invalid_passkey",
    /// The owner has turned off logins of the team with a password.
    PasswordLoginOff = "password_login_off",
    /// The answer of the provider for single sign-on is not valid; the text says why.
    SsoFailed = "sso_failed",
    /// Not the key required for signing up.
    WrongApiKey = "wrong_api_key",
    /// The identity token of a CI job is not valid for this service now.
    InvalidIdentity = "invalid_identity",
    /// The caller may not do this.
    Forbidden = "forbidden",
    /// The owner demands a passkey, and the caller has none.
    PasskeyRequired = "passkey_required",
    /// The change needs a proof with a passkey that is at most `fresh_login_ttl` old.
    FreshLoginRequired = "fresh_login_required",
    /// The person who has signed in was not invited.
    NotInvited = "not_invited",
    /// The call is for people; CI tokens only upload.
    NotForCiTokens = "not_for_ci_tokens",
    /// The CI job is valid, but not a publisher of the application; the text says why.
    PublisherMismatch = "publisher_mismatch",
    /// The repository of the publisher belongs to somebody else now.
    PublisherChanged = "publisher_changed",
    /// The service sends no webhooks: no setting from `webhook_origin` to `webhook_origin4` names an origin.
    WebhooksOff = "webhooks_off",
    /// The service does not count devices.
    TelemetryDisabled = "telemetry_disabled",
    /// The path, or the item, does not exist for this caller.
    NotFound = "not_found",
    /// The path has other methods.
    MethodNotAllowed = "method_not_allowed",
    /// The request contradicts stored data.
    Conflict = "conflict",
    /// The name is taken.
    AlreadyExists = "already_exists",
    /// The release already has a file in this place.
    ArtifactExists = "artifact_exists",
    /// The version already exists in another channel.
    VersionExists = "version_exists",
    /// Releases or uploads under way need it.
    InUse = "in_use",
    /// Installed copies would no longer be answered: `force` makes the change anyway.
    WouldCutOff = "would_cut_off",
    /// The rollout is in a state in which the action means nothing.
    WrongState = "wrong_state",
    /// Somebody has changed the release since the caller read it.
    ReleaseChanged = "release_changed",
    /// The application has TUF disabled.
    TufOff = "tuf_off",
    /// Targets have changed since these were made, or others wait for signatures.
    TargetsChanged = "targets_changed",
    /// The publisher signs targets, not the service.
    SignedByPublisher = "signed_by_publisher",
    /// Another call is working on it: try again in a moment.
    Busy = "busy",
    /// The invitation was used or revoked, or has expired.
    InvitationOver = "invitation_over",
    /// The release was withdrawn.
    Withdrawn = "withdrawn",
    /// The halt link has expired, was used, or was revoked.
    HaltLinkEnded = "halt_link_ended",
    /// The upload has expired: begin a new one.
    UploadExpired = "upload_expired",
    /// More bytes than the limit.
    TooLarge = "too_large",
    /// Another content type is required.
    UnsupportedMediaType = "unsupported_media_type",
    /// Files of the upload are not in the storage: send them, and complete again.
    FilesMissing = "files_missing",
    /// The length of some files differs from the declared length.
    SizeMismatch = "size_mismatch",
    /// The digests of some files differ from the declared ones.
    DigestMismatch = "digest_mismatch",
    /// Too many requests: `Retry-After` says when to try again.
    RateLimited = "rate_limited",
    /// The service failed.
    Internal = "internal",
    /// The storage driver cannot presign.
    NotSupported = "not_supported",
    /// The object storage answered with an error, or not at all.
    StorageFailed = "storage_failed",
    /// The receiver of a webhook did not take the message.
    NotDelivered = "not_delivered",
    /// Something that the service needs is unavailable.
    Unavailable = "unavailable",
    /// The object storage is not configured, or refuses the service.
    StorageNotConfigured = "storage_not_configured",
    /// The database is unavailable.
    DatabaseUnavailable = "database_unavailable",
    /// The issuer of the job's token cannot be asked for its keys.
    IdentityProviderUnavailable = "identity_provider_unavailable",
    /// The key-value store is unavailable.
    KeyValueUnavailable = "key_value_unavailable",
    /// A setting is missing or cannot be used.
    SettingsUnavailable = "settings_unavailable",
    /// The edge cannot reach its origin.
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
    fn devices_that_are_not_counted_are_null() {
        for json in [r#"{"error":"e","devices":3}"#, r#"{"error":"e","devices":null}"#, r#"{"error":"e"}"#] {
            let body: ErrorBody = serde_json::from_str(json).unwrap();
            assert_eq!(serde_json::to_string(&body).unwrap(), json);
        }
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
