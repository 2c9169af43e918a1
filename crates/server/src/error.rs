//! The error type of the crate.

use spindrift_manifest::ManifestError;

/// The reasons why the application cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The manifest or its variables are unusable.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A route names a component that is not part of this program.
    #[error("a route names the component `{0}`, which is not part of this program")]
    NotLinked(String),
    /// The routes contradict each other.
    #[error("the routes of the application: {0}")]
    Routes(String),
}
