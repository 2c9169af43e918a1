//! The one error type of the crate. Every message is one line and ends with what to do.

use std::io;
use std::path::{Path, PathBuf};

use crate::exit;
use crate::refusal::{Refusal, one_line};

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The arguments do not make sense together, or a value is not what it should be.
    #[error("{0}")]
    Usage(String),
    /// The command needs a token and there is none.
    #[error("not logged in at {url}: run `spindrift login --url {url}`, or set SPINDRIFT_TOKEN")]
    NotLoggedIn {
        /// The service.
        url: String,
    },
    /// The service said no.
    #[error("{0}")]
    Refused(Refusal),
    /// The object storage did not take or give a file.
    #[error("{0}")]
    Storage(String),
    /// Nobody answers.
    #[error("{url} cannot be reached ({reason}): check the address, and that the service is running")]
    Unreachable {
        /// The address, without query.
        url: String,
        /// What the network said.
        reason: String,
    },
    /// Somebody else answers.
    #[error("{url} does not answer like a Spindrift service ({reason}): check --url")]
    NotSpindrift {
        /// The address.
        url: String,
        /// What was unexpected.
        reason: String,
    },
    /// There is nothing of this name.
    #[error("{0}")]
    NotFound(String),
    /// It contradicts what is there.
    #[error("{0}")]
    Conflict(String),
    /// A local file or folder.
    #[error("{path}: {reason}", path = path.display(), reason = file_reason(source))]
    File {
        /// Which one.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// What `doctor` found.
    #[error("{0} of the checks failed: each says what to do")]
    Problems(usize),
    /// The rest.
    #[error("{0}")]
    Other(String),
}

impl CliError {
    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self::Usage(text.into())
    }

    /// For `map_err` on file operations.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |source| Self::File { path: path.to_owned(), source }
    }

    /// Of a request that got no answer. Query and fragment of the address are left out: they may be credentials.
    pub(crate) fn network(url: &str, error: reqwest::Error) -> Self {
        let address = url.split(['?', '#']).next().unwrap_or_default();
        Self::Unreachable { url: address.to_owned(), reason: network_reason(error) }
    }

    /// The number that the process ends with.
    pub(crate) const fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => exit::USAGE,
            Self::NotLoggedIn { .. } => exit::NOT_LOGGED_IN,
            Self::Refused(refusal) => refusal.exit_code(),
            Self::Storage(_) | Self::Unreachable { .. } | Self::NotSpindrift { .. } => exit::UNAVAILABLE,
            Self::NotFound(_) => exit::NOT_FOUND,
            Self::Conflict(_) => exit::CONFLICT,
            Self::File { .. } => exit::FILE,
            Self::Problems(_) => exit::PROBLEMS,
            Self::Other(_) => exit::FAILED,
        }
    }

    /// Whether the same call may work in a moment.
    pub(crate) const fn is_passing(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_passing(),
            Self::Unreachable { .. } => true,
            _ => false,
        }
    }
}

/// The innermost cause, which is what an administrator can act on; never the address.
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
