//! The error of every handler, and the one place where errors become statuses and codes.

use std::borrow::Cow;

use http::{Method, StatusCode};
use spindrift_api::ErrorCode;
use spindrift_core::{InvalidManifest, InvalidMetadata};

use crate::{KeyValueError, Reason};

/// Why a request is not answered as asked. Each kind has a status and a code; its [`Reason`] may have a code that says
/// more. Texts in variants without `internal` are shown to the caller; `internal` goes to the log only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// 400: the input is invalid.
    #[error("{0}")]
    BadRequest(Reason),
    /// 401: not authenticated.
    #[error("{0}")]
    Unauthorized(Reason),
    /// 403: authenticated, and not allowed.
    #[error("{0}")]
    Forbidden(Reason),
    /// 404: there is no such thing for this caller.
    #[error("{0}")]
    NotFound(Reason),
    /// 405: the path is known, with other methods.
    #[error("method not allowed")]
    MethodNotAllowed(Vec<Method>),
    /// 409: conflicts with what is stored.
    #[error("{0}")]
    Conflict(Reason),
    /// 410: the upload's time is over.
    #[error("{0}")]
    Gone(Reason),
    /// 413: more bytes than the limit.
    #[error("{0}")]
    TooLarge(Reason),
    /// 415: another content type is needed.
    #[error("unsupported content type, expected {0}")]
    UnsupportedMediaType(&'static str),
    /// 422: files of an upload are not there, or not as they were declared.
    #[error("{}: {}", problem.text(), files.join(", "))]
    UnfitFiles {
        /// What is wrong with all of them.
        problem: FileProblem,
        /// Their names.
        files: Vec<String>,
    },
    /// 429: try again after so many seconds.
    #[error("rate limit exceeded")]
    TooManyRequests {
        /// Seconds for `Retry-After`.
        retry_after: u32,
    },
    /// 501: the storage driver cannot do this.
    #[error("{0}")]
    NotImplemented(Reason),
    /// 502: the object storage answered with an error, or not at all.
    #[error("the object storage failed")]
    Storage {
        /// What it said.
        internal: String,
    },
    /// 503: a needed store or setting is unavailable; `public` says which.
    #[error("{public}")]
    Unavailable {
        /// Shown to the caller.
        public: Reason,
        /// What the store said.
        internal: String,
    },
    /// 500: the rest.
    #[error("internal error")]
    Internal {
        /// What happened.
        internal: String,
    },
    /// Another error, answered without its code: where the interface gives errors the text alone.
    #[error("{0}")]
    TextAlone(Box<Self>),
}

/// What is wrong with files of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileProblem {
    /// They are not there.
    Missing,
    /// They have another length than was declared.
    Size,
    /// They have other digests than were declared.
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

    /// 409 with a code of its own.
    pub fn conflict(code: ErrorCode, text: impl Into<Cow<'static, str>>) -> Self {
        Self::Conflict(Reason::new(code, text))
    }

    /// 404 with `<thing> not found`.
    pub fn not_found(thing: &str) -> Self {
        Self::NotFound(format!("{thing} not found").into())
    }

    /// Status, and code unless the reason has one: the one mapping.
    fn kind(&self) -> (StatusCode, ErrorCode, Option<&Reason>) {
        match self {
            Self::BadRequest(why) => (StatusCode::BAD_REQUEST, ErrorCode::BadRequest, Some(why)),
            Self::Unauthorized(why) => (StatusCode::UNAUTHORIZED, ErrorCode::Unauthorized, Some(why)),
            Self::Forbidden(why) => (StatusCode::FORBIDDEN, ErrorCode::Forbidden, Some(why)),
            Self::NotFound(why) => (StatusCode::NOT_FOUND, ErrorCode::NotFound, Some(why)),
            Self::MethodNotAllowed(_) => (StatusCode::METHOD_NOT_ALLOWED, ErrorCode::MethodNotAllowed, None),
            Self::Conflict(why) => (StatusCode::CONFLICT, ErrorCode::Conflict, Some(why)),
            Self::Gone(why) => (StatusCode::GONE, ErrorCode::UploadExpired, Some(why)),
            Self::TooLarge(why) => (StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::TooLarge, Some(why)),
            Self::UnsupportedMediaType(_) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, ErrorCode::UnsupportedMediaType, None)
            }
            Self::UnfitFiles { problem, .. } => (StatusCode::UNPROCESSABLE_ENTITY, problem.code(), None),
            Self::TooManyRequests { .. } => (StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, None),
            Self::NotImplemented(why) => (StatusCode::NOT_IMPLEMENTED, ErrorCode::NotSupported, Some(why)),
            Self::Storage { .. } => (StatusCode::BAD_GATEWAY, ErrorCode::StorageFailed, None),
            Self::Unavailable { public, .. } => {
                (StatusCode::SERVICE_UNAVAILABLE, ErrorCode::Unavailable, Some(public))
            }
            Self::Internal { .. } => (StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::Internal, None),
            Self::TextAlone(error) => error.kind(),
        }
    }

    /// The status.
    pub fn status(&self) -> StatusCode {
        self.kind().0
    }

    /// What programs act by.
    pub fn code(&self) -> Option<ErrorCode> {
        let (_, code, why) = self.kind();
        let own = why.and_then(Reason::code).cloned();
        (!matches!(self, Self::TextAlone(_))).then(|| own.unwrap_or(code))
    }

    /// What only the log may show.
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
