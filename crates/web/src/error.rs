//! The error type of all handlers, and the one place that maps errors to statuses and codes.

use std::borrow::Cow;

use http::{Method, StatusCode};
use spindrift_api::{ErrorCode, PasskeyQuestionBody};
use spindrift_core::{InvalidManifest, InvalidMetadata, InvalidValue, quoted};

use crate::{KeyValueError, Reason};

/// The reasons why a request failed. Each kind has a status and a code; its [`Reason`] may have a more
/// specific code. The caller sees the texts, except those named `internal`, which only go to the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// 400: the input is invalid.
    #[error("{0}")]
    BadRequest(Reason),
    /// 401: not authenticated.
    #[error("{0}")]
    Unauthorized(Reason),
    /// 401: the password is right, and the login needs a passkey too.
    #[error("this account has a passkey: use it, or a recovery code")]
    SecondFactorRequired {
        /// `None`: browsers cannot use passkeys at the service's address.
        passkey: Option<Box<PasskeyQuestionBody>>,
    },
    /// 403: authenticated, but not allowed.
    #[error("{0}")]
    Forbidden(Reason),
    /// 404: the item does not exist for this caller.
    #[error("{0}")]
    NotFound(Reason),
    /// 405: the path supports other methods.
    #[error("method not allowed")]
    MethodNotAllowed(Vec<Method>),
    /// 409: the request contradicts stored data.
    #[error("{0}")]
    Conflict(Reason),
    /// 409: the change would leave installed copies without an answer.
    #[error("{}", cut_off(*devices))]
    WouldCutOff {
        /// The number of devices. `None` if devices are not counted.
        devices: Option<u64>,
    },
    /// 409: installed copies would skip an intermediate release.
    #[error("{}, which is an intermediate", would_skip(*devices, version))]
    WouldSkip {
        /// The version of the intermediate.
        version: String,
        /// The number of devices.
        devices: u64,
    },
    /// 410: the upload has expired, or the release was withdrawn.
    #[error("{0}")]
    Gone(Reason),
    /// 413: more bytes than the limit.
    #[error("{0}")]
    TooLarge(Reason),
    /// 415: another content type is required.
    #[error("unsupported content type, expected {0}")]
    UnsupportedMediaType(&'static str),
    /// 422: files of an upload are missing, or differ from their declaration.
    #[error("{}: {}", problem.text(), files.join(", "))]
    UnfitFiles {
        problem: FileProblem,
        /// Names of the files.
        files: Vec<String>,
    },
    /// 429: too many requests.
    #[error("rate limit exceeded")]
    TooManyRequests {
        /// Seconds to wait, for `Retry-After`.
        retry_after: u32,
    },
    /// 501: the storage driver does not support this.
    #[error("{0}")]
    NotImplemented(Reason),
    /// 502: the object storage answered with an error, or not at all.
    #[error("the object storage failed")]
    Storage {
        /// The error of the storage.
        internal: String,
    },
    /// 502: done, but the storage still contains the earlier objects.
    #[error("{0}")]
    Unfinished(Reason),
    /// 503: another call is working on the same thing, which only takes a moment.
    #[error("{0}")]
    Busy(Reason),
    /// 503: a required store or setting is unavailable; `public` names it.
    #[error("{public}")]
    Unavailable {
        /// Shown to the caller.
        public: Reason,
        /// The error of the store.
        internal: String,
    },
    /// 500: any other failure.
    #[error("internal error")]
    Internal {
        /// The cause.
        internal: String,
    },
    /// Another error, answered without its code, for calls whose error answers consist of text alone.
    #[error("{0}")]
    TextAlone(Box<Self>),
}

fn cut_off(devices: Option<u64>) -> Cow<'static, str> {
    match devices {
        None => "this would cut off installed copies, which are not counted".into(),
        Some(devices) => format!("this would cut off {}", seen(devices)).into(),
    }
}

fn would_skip(devices: u64, version: &str) -> String {
    format!("this would let {} skip {version}", seen(devices))
}

fn seen(devices: u64) -> String {
    let devices =
        if devices == 1 { "1 device that was".into() } else { format!("{devices} devices that were") };
    format!("{devices} seen in the last 30 days")
}

/// The problem of the files of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileProblem {
    Missing,
    /// Their length differs from the declared length.
    Size,
    /// Their digests differ from the declared digests.
    Digest,
}

impl FileProblem {
    const fn text(self) -> &'static str {
        match self {
            Self::Missing => "missing files",
            Self::Size => "size mismatch",
            Self::Digest => "digest mismatch",
        }
    }

    const fn code(self) -> ErrorCode {
        match self {
            Self::Missing => ErrorCode::FilesMissing,
            Self::Size => ErrorCode::SizeMismatch,
            Self::Digest => ErrorCode::DigestMismatch,
        }
    }
}

impl ApiError {
    /// 400 with `text`.
    pub fn bad_request(text: impl Into<Reason>) -> Self {
        Self::BadRequest(text.into())
    }

    /// 400 with `missing <name>`.
    pub fn missing(name: &str) -> Self {
        Self::BadRequest(Reason::new(ErrorCode::MissingField, format!("missing {name}")))
    }

    /// 400 with `invalid <name> parameter`, followed by the rule and, if it may be shown, the text that was
    /// sent.
    pub fn invalid(name: &str, rule: &str, sent: Option<&str>) -> Self {
        let sent = sent.map(|text| format!(", not {}", quoted(text))).unwrap_or_default();
        Self::bad_request(format!("invalid {name} parameter: {rule}{sent}"))
    }

    /// 409 with its own code.
    pub fn conflict(code: ErrorCode, text: impl Into<Cow<'static, str>>) -> Self {
        Self::Conflict(Reason::new(code, text))
    }

    /// 404 with `<thing> not found`.
    pub fn not_found(thing: &str) -> Self {
        Self::NotFound(format!("{thing} not found").into())
    }

    /// Status, default code and reason: the one mapping. A reason may have its own code.
    fn kind(&self) -> (StatusCode, ErrorCode, Option<&Reason>) {
        match self {
            Self::BadRequest(why) => (StatusCode::BAD_REQUEST, ErrorCode::BadRequest, Some(why)),
            Self::Unauthorized(why) => (StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, Some(why)),
            Self::SecondFactorRequired { .. } => {
                (StatusCode::UNAUTHORIZED, ErrorCode::SecondFactorRequired, None)
            }
            Self::Forbidden(why) => (StatusCode::FORBIDDEN, ErrorCode::Forbidden, Some(why)),
            Self::NotFound(why) => (StatusCode::NOT_FOUND, ErrorCode::NotFound, Some(why)),
            Self::MethodNotAllowed(_) => (StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, None),
            Self::Conflict(why) => (StatusCode::CONFLICT, ErrorCode::Conflict, Some(why)),
            Self::WouldCutOff { .. } | Self::WouldSkip { .. } => {
                (StatusCode::CONFLICT, ErrorCode::WouldCutOff, None)
            }
            Self::Gone(why) => (StatusCode::GONE, ErrorCode::UploadExpired, Some(why)),
            Self::TooLarge(why) => (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge, Some(why)),
            Self::UnsupportedMediaType(_) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType, None)
            }
            Self::UnfitFiles { problem, .. } => (StatusCode::UNPROCESSABLE_ENTITY, problem.code(), None),
            Self::TooManyRequests { .. } => (StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, None),
            Self::NotImplemented(why) => (StatusCode::NOT_IMPLEMENTED, ErrorCode::NotSupported, Some(why)),
            Self::Storage { .. } => (StatusCode::BAD_GATEWAY, ErrorCode::StorageFailed, None),
            Self::Unfinished(why) => (StatusCode::BAD_GATEWAY, ErrorCode::StorageFailed, Some(why)),
            Self::Busy(why) => (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Busy, Some(why)),
            Self::Unavailable { public, .. } => {
                (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, Some(public))
            }
            Self::Internal { .. } => (StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, None),
            Self::TextAlone(error) => error.kind(),
        }
    }

    pub fn status(&self) -> StatusCode {
        self.kind().0
    }

    /// The code for programs; `None` if the answer has only a text.
    pub fn code(&self) -> Option<ErrorCode> {
        let (_, code, why) = self.kind();
        let own = why.and_then(Reason::code).cloned();
        (!matches!(self, Self::TextAlone(_))).then(|| own.unwrap_or(code))
    }

    /// The text for the log only.
    pub fn internal(&self) -> Option<&str> {
        match self {
            Self::Storage { internal } | Self::Unavailable { internal, .. } | Self::Internal { internal } => {
                Some(internal)
            }
            Self::TextAlone(error) => error.internal(),
            _ => None,
        }
    }
}

impl From<KeyValueError> for ApiError {
    fn from(error: KeyValueError) -> Self {
        let public = Reason::new(ErrorCode::KeyValueUnavailable, "the key-value store is unavailable");
        Self::Unavailable { public, internal: error.to_string() }
    }
}

impl From<InvalidValue> for ApiError {
    fn from(value: InvalidValue) -> Self {
        Self::bad_request(format!("invalid {value}"))
    }
}

impl From<InvalidMetadata> for ApiError {
    fn from(error: InvalidMetadata) -> Self {
        match error {
            InvalidMetadata::Missing(name) => Self::missing(name),
            other => Self::bad_request(other.to_string()),
        }
    }
}

impl From<InvalidManifest> for ApiError {
    fn from(error: InvalidManifest) -> Self {
        let code = match error {
            InvalidManifest::Missing(..) => ErrorCode::MissingField,
            _ => ErrorCode::BadRequest,
        };
        Self::BadRequest(Reason::new(code, error.to_string()))
    }
}
