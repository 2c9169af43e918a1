//! Errors, from the caller's point of view.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use spindrift_api::ErrorCode;

use crate::TransportError;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// [`Config::base_url`](crate::Config::base_url) is empty.
    #[error("missing base url")]
    MissingBaseUrl,
    /// The owner is empty.
    #[error("missing owner")]
    MissingOwner,
    /// The application's name is empty.
    #[error("missing app name")]
    MissingAppName,
    /// The version is empty.
    #[error("missing version")]
    MissingVersion,
    /// A beacon or a report has no device id.
    #[error("missing device id")]
    MissingDeviceId,
    /// A device id that is not 1-128 printable ASCII characters.
    #[error("invalid device id")]
    InvalidDeviceId,
    /// More keys of groups than a check can send.
    #[error("more than {limit} groups")]
    TooManyGroups {
        /// The exceeded limit.
        limit: usize,
    },
    /// A version of the operating system that is not 1 to 4 numbers with dots.
    #[error("invalid os version")]
    InvalidOsVersion,
    /// A URL that is not `http` or `https`, or has a forbidden part: base URLs may have no query and no user.
    /// Names the purpose of the URL; the URL itself is not shown, because it may hold a secret.
    #[error("invalid {0}")]
    InvalidUrl(&'static str),
    /// The service gave no valid answer.
    #[error(transparent)]
    RequestFailed(Box<EndpointError>),
    /// A failure report whose details are too large; see [`ReportLimits`](crate::ReportLimits). Nothing was
    /// sent.
    #[error("report details of {size} bytes are over the limit of {limit} bytes")]
    DetailsTooLarge {
        /// Bytes.
        size: usize,
        /// The exceeded limit, in bytes.
        limit: usize,
    },
    /// A file has the wrong length. No part of it is kept.
    #[error("the file has {actual} bytes instead of {expected}")]
    WrongLength {
        /// Bytes that the caller expected.
        expected: u64,
        /// Bytes that the server has or announces. If it sent more than expected, the actual number may be
        /// higher.
        actual: u64,
    },
    /// A file has the wrong content. No part of it is kept.
    #[error("the file's {algorithm} digest is {actual} instead of {expected}")]
    WrongDigest {
        /// `sha256`, `sha512` or `md5`.
        algorithm: &'static str,
        /// Lower-case hexadecimal.
        expected: String,
        /// Lower-case hexadecimal.
        actual: String,
    },
    /// A file is larger than [`DownloadLimits::max_bytes`](crate::DownloadLimits::max_bytes).
    #[error("the file is over the limit of {limit} bytes")]
    FileTooLarge {
        /// Bytes.
        limit: u64,
    },
    /// Another download is writing the same file.
    #[error("{} is being downloaded already", .path.display())]
    Busy {
        /// The partial file.
        path: PathBuf,
    },
    /// No verified file is available.
    #[cfg(feature = "trust")]
    #[error(transparent)]
    Trust(#[from] crate::TrustError),
    /// The local file system returned an error.
    #[error("{}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error.
        source: std::io::Error,
    },
}

impl Error {
    /// How long the service asked to wait, at least. `None`: it did not ask.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RequestFailed(error) => error.retry_after,
            _ => None,
        }
    }
}

impl Error {
    /// Whether the server has another file than the expected one.
    pub(crate) const fn is_about_content(&self) -> bool {
        matches!(self, Self::WrongLength { .. } | Self::WrongDigest { .. } | Self::FileTooLarge { .. })
    }
}

impl From<EndpointError> for Error {
    fn from(error: EndpointError) -> Self {
        Self::RequestFailed(Box::new(error))
    }
}

/// A request without a usable answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndpointError {
    /// The URL, without user and password. For checks also without keys of groups, and for downloads without
    /// the query, which may be a signature.
    pub url: String,
    /// The HTTP status of the answer. `None`: there was no answer.
    pub status: Option<u16>,
    /// Why the answer is not usable.
    pub cause: Cause,
    /// The service's error code, for programs. `None` if it sent none. `docs/api/errors.md` lists the codes.
    pub code: Option<ErrorCode>,
    /// The delay in the answer's `Retry-After`.
    pub retry_after: Option<Duration>,
    /// For a check: the earlier failure of the edge, if one is configured.
    pub edge: Option<Box<EndpointError>>,
}

/// Why an answer is not usable.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// There was no answer, or it was incomplete.
    Transport(TransportError),
    /// An unexpected status, with the text of the service's `{"error": "..."}` if it sent one, at most 200
    /// characters.
    Status(Option<String>),
    /// The answer is longer than this many bytes.
    TooLarge(usize),
    /// It does not conform to the interface.
    Invalid(String),
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request to {} failed", self.url)?;
        if let Some(status) = self.status {
            write!(f, " with status {status}")?;
        }
        match &self.cause {
            Cause::Transport(error) => write!(f, ": {error}")?,
            Cause::Status(Some(text)) => write!(f, ": {text}")?,
            Cause::Status(None) => {}
            Cause::TooLarge(limit) => write!(f, ": the answer is over the limit of {limit} bytes")?,
            Cause::Invalid(what) => write!(f, ": invalid answer: {what}")?,
        }
        match &self.edge {
            Some(edge) => write!(f, " (edge: {edge})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for EndpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.cause {
            Cause::Transport(error) => Some(error),
            _ => None,
        }
    }
}
