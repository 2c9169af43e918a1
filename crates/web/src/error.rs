//! The error of every handler, and the one place where errors become statuses.

use std::borrow::Cow;

use http::{Method, StatusCode};

use crate::KeyValueError;

/// Why a request is not answered as asked. Texts in variants without `internal` are shown to the caller; `internal`
/// goes to the log only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// 400: the input is invalid.
    #[error("{0}")]
    BadRequest(Cow<'static, str>),
    /// 401: not authenticated.
    #[error("{0}")]
    Unauthorized(Cow<'static, str>),
    /// 403: authenticated, and not allowed.
    #[error("{0}")]
    Forbidden(Cow<'static, str>),
    /// 404: there is no such thing for this caller.
    #[error("{0}")]
    NotFound(Cow<'static, str>),
    /// 405: the path is known, with other methods.
    #[error("method not allowed")]
    MethodNotAllowed(Vec<Method>),
    /// 409: conflicts with what is stored.
    #[error("{0}")]
    Conflict(Cow<'static, str>),
    /// 410: was there, and its time is over.
    #[error("{0}")]
    Gone(Cow<'static, str>),
    /// 413: more bytes than the limit.
    #[error("{0}")]
    TooLarge(Cow<'static, str>),
    /// 415: another content type is needed.
    #[error("unsupported content type, expected {0}")]
    UnsupportedMediaType(&'static str),
    /// 422: files of an upload are not there, or not as they were declared.
    #[error("{problem}: {}", files.join(", "))]
    UnfitFiles {
        /// What is wrong with all of them.
        problem: &'static str,
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
    NotImplemented(Cow<'static, str>),
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
        public: Cow<'static, str>,
        /// What the store said.
        internal: String,
    },
    /// 500: the rest.
    #[error("internal error")]
    Internal {
        /// What happened.
        internal: String,
    },
}

impl ApiError {
    /// 400 with `text`.
    pub fn bad_request(text: impl Into<Cow<'static, str>>) -> Self {
        Self::BadRequest(text.into())
    }

    /// 404 with `<thing> not found`.
    pub fn not_found(thing: &str) -> Self {
        Self::NotFound(format!("{thing} not found").into())
    }

    /// The status: the one mapping.
    pub const fn status(&self) -> StatusCode {
        match self {
            Self::BadRequest(_) => StatusCode::BAD_REQUEST,
            Self::Unauthorized(_) => StatusCode::UNAUTHORIZED,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::NotFound(_) => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed(_) => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict(_) => StatusCode::CONFLICT,
            Self::Gone(_) => StatusCode::GONE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::UnfitFiles { .. } => StatusCode::UNPROCESSABLE_ENTITY,
            Self::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::NotImplemented(_) => StatusCode::NOT_IMPLEMENTED,
            Self::Storage { .. } => StatusCode::BAD_GATEWAY,
            Self::Unavailable { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Internal { .. } => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// What only the log may show.
    pub fn internal(&self) -> Option<&str> {
        match self {
            Self::Storage { internal } | Self::Unavailable { internal, .. } | Self::Internal { internal } => {
                Some(internal)
            }
            _ => None,
        }
    }
}

impl From<KeyValueError> for ApiError {
    fn from(error: KeyValueError) -> Self {
        Self::Unavailable { public: "the key-value store is unavailable".into(), internal: error.to_string() }
    }
}
