//! The error type of the crate.

use std::path::PathBuf;

/// Why an application cannot be run as its manifest describes it.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file could not be read.
    #[error("{path}: {source}", path = path.display())]
    File {
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The manifest is not valid, or uses something that only Spin supports.
    #[error("{path}: {reason}", path = path.display())]
    Invalid {
        path: PathBuf,
        /// The problem with it.
        reason: String,
    },
    /// A variable has no value, or a given value belongs to no variable.
    #[error("variable: {0}")]
    Variable(String),
}
