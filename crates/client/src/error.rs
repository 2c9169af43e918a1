//! What can go wrong, in words of the caller.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use spindrift_api::ErrorCode;

use crate::TransportError;

/// Why a call brought nothing.
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
    /// A beacon or a report without a device identifier.
    #[error("missing device id")]
    MissingDeviceId,
    /// A device identifier that is not 1-128 printable ASCII characters.
    #[error("invalid device id")]
    InvalidDeviceId,
    /// An address that is not `http` or `https`, or has what it must not have: the base addresses no query and no
    /// user. Names the address by its purpose; it is not shown, because it may hold a secret.
    #[error("invalid {0}")]
    InvalidUrl(&'static str),
    /// The service did not give the answer that was asked for.
    #[error(transparent)]
    RequestFailed(Box<EndpointError>),
    /// A failure report whose details are too large; see [`ReportLimits`](crate::ReportLimits). Nothing was sent.
    #[error("report details of {size} bytes are over the limit of {limit} bytes")]
    DetailsTooLarge {
        /// Bytes.
        size: usize,
        /// The limit that they are over, bytes.
        limit: usize,
    },
    /// A file has another length than it should have. Nothing of it is kept.
    #[error("the file has {actual} bytes instead of {expected}")]
    WrongLength {
        /// Bytes that the caller asked for.
        expected: u64,
        /// Bytes that the server has or announces; at least that many when it sent more than expected.
        actual: u64,
    },
    /// A file has another content than it should have. Nothing of it is kept.
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
    /// Another download writes the same file.
    #[error("{} is being downloaded already", .path.display())]
    Busy {
        /// The partial file.
        path: PathBuf,
    },
    /// The local file system refused.
    #[error("{}: {source}", .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Error {
    /// How long the service asked to be left alone, at least. `None` when it did not ask.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RequestFailed(error) => error.retry_after,
            _ => None,
        }
    }
}

impl From<EndpointError> for Error {
    fn from(error: EndpointError) -> Self {
        Self::RequestFailed(Box::new(error))
    }
}

/// A request that brought no usable answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct EndpointError {
    /// What was asked: without user and password, and for downloads without the query, which may be a signature.
    pub url: String,
    /// The answer's status; `None` when there was no answer.
    pub status: Option<u16>,
    /// Why the answer is not usable.
    pub cause: Cause,
    /// Why the service says no, for programs; `None` when it does not say. `docs/api/errors.md` lists the codes.
    pub code: Option<ErrorCode>,
    /// From the answer's `Retry-After`.
    pub retry_after: Option<Duration>,
    /// For a check: what went wrong at the edge before, if one is configured.
    pub edge: Option<Box<EndpointError>>,
}

/// Why an answer is not usable.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// There is none, or it broke off.
    Transport(TransportError),
    /// Its status says so. With the text of the service's `{"error": "..."}`, at most 200 characters, if it sent one.
    Status(Option<String>),
    /// It is longer than this many bytes.
    TooLarge(usize),
    /// It is not what the interface describes.
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
