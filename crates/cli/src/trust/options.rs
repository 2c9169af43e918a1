//! Arguments that several commands have.

use std::path::PathBuf;

use clap::Args;

use super::key::KeySource;

/// Which repository, and how it is verified.
#[derive(Debug, Clone, Args)]
pub(crate) struct RepositoryOptions {
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    pub(crate) app: String,
    #[command(flatten)]
    pub(crate) trust: TrustOptions,
}

/// The trusted root, and the place to read metadata from.
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
    // A key that was given as text begins with hyphens. It has to arrive here, or it would be repeated as an
    // unknown option.
    #[arg(long = "key", value_name = "KEY", allow_hyphen_values = true)]
    pub(crate) keys: Vec<KeySource>,
}
