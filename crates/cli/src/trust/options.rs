//! Arguments that several commands share.

use std::path::PathBuf;

use clap::Args;

use super::key::KeySource;

/// A repository, and how to verify it.
#[derive(Debug, Clone, Args)]
pub(crate) struct RepositoryOptions {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    pub(crate) app: String,
    #[command(flatten)]
    pub(crate) trust: TrustOptions,
}

/// The trusted root, and where to read metadata.
#[derive(Debug, Clone, Args)]
pub(crate) struct TrustOptions {
    /// The root that applications are built with. `revoked.json` is kept beside it.
    #[arg(long, env = "SPINDRIFT_TRUST_ROOT", value_name = "FILE", default_value = "root.json")]
    pub(crate) trust_root: PathBuf,
    /// Read metadata from the public bucket with this address instead of the service.
    #[arg(long, env = "SPINDRIFT_BUCKET_URL", value_name = "URL")]
    pub(crate) bucket_url: Option<String>,
    /// Folder of your keys; by default one in the folder of this program's settings.
    #[arg(long, env = "SPINDRIFT_KEYS_DIR", value_name = "DIR")]
    pub(crate) keys_dir: Option<PathBuf>,
}

/// The keys to sign with.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct SigningOptions {
    /// A key to sign with: a PEM file, `env:NAME`, or `agent:<fingerprint>`. May be repeated. By default
    /// `SPINDRIFT_TARGETS_KEY`, and what is in the folder of your keys.
    // Accept a leading hyphen, with which the text of a PEM file begins: clap would otherwise
    // repeat the key in its error for an unknown option.
    #[arg(long = "key", value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) keys: Vec<KeySource>,
}
