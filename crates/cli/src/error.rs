//! The error type of the crate. Every message is one line and ends with a suggestion.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use spindrift_api::ErrorCode;
use spindrift_core::audit::BrokenChain;

use crate::exit;
use crate::refusal::{Refusal, one_line};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The arguments contradict each other, or a value is invalid.
    #[error("{0}")]
    Usage(String),
    /// The command needs a token, but there is none.
    #[error("not logged in at {url}: run `spindrift login --url {url}`, or set SPINDRIFT_TOKEN")]
    NotLoggedIn { url: String },
    /// The command needs a token, and the environment has an empty one, which is how CI systems
    /// pass a missing secret.
    #[error("SPINDRIFT_TOKEN is empty: is the secret set for this branch?")]
    EmptyToken,
    /// The service answered with an error.
    #[error("{0}")]
    Refused(Refusal),
    /// The object storage refused an upload or a download.
    #[error("{0}")]
    Storage(String),
    /// The object storage refused a file, but may accept it later.
    #[error("{what}: run the same command again to resume")]
    NotSent {
        /// The file, and the reason.
        what: String,
    },
    /// The user pressed Ctrl+C.
    #[error("stopped: {0}")]
    Stopped(&'static str),
    /// The reader of standard output, such as `head`, has stopped. The command ends without a
    /// message.
    #[error("standard output was closed")]
    Closed,
    /// The service did not answer.
    #[error("{url} cannot be reached ({reason}): check the address, and that the service is running")]
    Unreachable {
        /// Without query.
        url: String,
        /// The error of the network.
        reason: String,
    },
    /// The answer does not come from a Spindrift service.
    #[error("{url} does not answer like a Spindrift service ({reason}): check --url")]
    NotSpindrift {
        url: String,
        /// The unexpected part of the answer.
        reason: String,
    },
    /// Another server, which is only read from, gave no usable answer.
    #[error("{url}: {reason}")]
    OtherServer {
        /// Without query.
        url: String,
        /// The problem, and a suggestion.
        reason: String,
        exit: u8,
    },
    /// No item has this name.
    #[error("{0}")]
    NotFound(String),
    /// The request contradicts existing data.
    #[error("{0}")]
    Conflict(String),
    /// A local file or folder cannot be used.
    #[error("{path}: {reason}", path = path.display(), reason = file_reason(source))]
    File {
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// `doctor` found problems.
    #[error("{0} of the checks failed: each says what to do")]
    Problems(usize),
    /// An audit log was altered after it was written.
    #[error("{0}; compare the log with an earlier export")]
    BrokenLog(#[from] BrokenChain),
    /// Signed metadata, or a proposal for it, cannot be trusted. Nothing was signed.
    #[error("not to be trusted: {0}")]
    Untrusted(String),
    /// The service on this machine could not be started, or failed.
    #[cfg(feature = "service")]
    #[error(transparent)]
    Local(#[from] spindrift_local::LocalError),
    /// Any other failure.
    #[error("{0}")]
    Other(String),
}

impl CliError {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// Adapts an I/O error on `path` for `map_err`.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// The error of a request that got no answer. It omits the query and fragment of the URL, which
    /// may contain credentials.
    pub(crate) fn network(url: &str, error: reqwest::Error) -> Self {
        let address = url.split(['?', '#']).next().unwrap_or_default();
        Self::Unreachable { url: address.to_owned(), reason: network_reason(error) }
    }

    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => exit::USAGE,
            Self::NotLoggedIn { .. } | Self::EmptyToken => exit::NOT_LOGGED_IN,
            Self::Refused(refusal) => refusal.exit_code(),
            Self::Stopped(_) => exit::STOPPED,
            Self::Closed => exit::CLOSED,
            Self::Storage(_)
            | Self::NotSent { .. }
            | Self::Unreachable { .. }
            | Self::NotSpindrift { .. } => exit::UNAVAILABLE,
            Self::OtherServer { exit, .. } => *exit,
            Self::NotFound(_) => exit::NOT_FOUND,
            Self::Conflict(_) => exit::CONFLICT,
            Self::File { .. } => exit::FILE,
            Self::Problems(_) | Self::BrokenLog(_) => exit::PROBLEMS,
            #[cfg(feature = "service")]
            Self::Local(_) => exit::FAILED,
            Self::Untrusted(_) | Self::Other(_) => exit::FAILED,
        }
    }

    /// The failure in one line, without advice, for a call that is retried anyway.
    pub(crate) fn brief(&self) -> String {
        match self {
            Self::Refused(refusal) => refusal.brief(),
            Self::Unreachable { url, reason } => format!("{url} cannot be reached ({reason})"),
            Self::NotSent { what } => what.clone(),
            other => other.to_string(),
        }
    }

    /// The delay that the service asked for in `Retry-After`.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let Self::Refused(refusal) = self else { return None };
        refusal.retry_after.map(Duration::from_secs)
    }

    /// The error as JSON, on one line.
    pub(crate) fn as_json(&self) -> String {
        let refusal = if let Self::Refused(refusal) = self { Some(refusal) } else { None };
        let shown = ErrorView {
            error: self.to_string(),
            exit_code: self.exit_code(),
            status: refusal.map(|refusal| refusal.status),
            code: refusal.and_then(|refusal| refusal.code.as_ref()),
            files: refusal.map_or(&[], |refusal| &refusal.files),
            request_id: refusal.and_then(|refusal| refusal.request_id.as_deref()),
        };
        // Serializing cannot fail: all keys are text.
        serde_json::to_string(&shown).unwrap_or_default()
    }

    /// Whether the same call may succeed if it is soon repeated.
    pub(crate) const fn is_passing(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_passing(),
            Self::Unreachable { .. } | Self::NotSent { .. } => true,
            _ => false,
        }
    }
}

/// An error as `--json` shows it.
#[derive(Serialize)]
struct ErrorView<'a> {
    error: String,
    exit_code: u8,
    /// HTTP status, if the service answered with an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'a ErrorCode>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    files: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
}

/// The innermost cause, which an administrator can act on. It never contains the URL.
pub(crate) fn network_reason(error: reqwest::Error) -> String {
    let timed_out = error.is_timeout();
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    if timed_out { "no answer in time".to_owned() } else { one_line(&cause.to_string()) }
}

fn file_reason(error: &io::Error) -> String {
    let hint = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ": make room, and run this again",
        io::ErrorKind::PermissionDenied => ": check who may use it",
        io::ErrorKind::NotFound => ": check the path",
        _ => "",
    };
    format!("{}{hint}", one_line(&error.to_string()))
}
