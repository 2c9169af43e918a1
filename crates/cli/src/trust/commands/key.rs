//! `trust key new|show`.

use std::path::{Path, PathBuf};

use clap::Subcommand;

use crate::context::Context;
use crate::error::CliError;
use crate::trust::key::{KeySource, Passphrase, PublicForms, new_passphrase, read_public, write_beside};

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Make an Ed25519 key, in a new file that only you can read.
    New {
        /// The file.
        file: PathBuf,
        /// Do not encrypt the file.
        #[arg(long)]
        no_passphrase: bool,
    },
    /// Show the public part of a key as TUF JSON, PEM and an OpenSSH line.
    Show {
        /// A file with a private or public key, `env:NAME`, or `agent:<fingerprint>`.
        key: String,
    },
}

impl Key {
    pub(crate) fn run(self, context: &Context) -> Result<(), CliError> {
        let public = match self {
            Self::New { file, no_passphrase } => {
                let passphrase = if no_passphrase { None } else { Some(new_passphrase()?) };
                let signer = KeySource::create(&file, passphrase.as_ref())?;
                let beside = write_beside(&file, signer.public())?;
                let message =
                    format!("{} holds a new key, and {} its public part:", file.display(), beside.display());
                context.output.message(&message);
                signer.public().clone()
            }
            Self::Show { key } if is_private(&key) => {
                let source: KeySource = key.parse().unwrap_or_else(|never| match never {});
                source.open(&mut Passphrase::default())?.public().clone()
            }
            Self::Show { key } => read_public(&key)?,
        };
        let forms = PublicForms::of(&public)?;
        context.output.result(&forms, &forms.as_text())
    }
}

/// Whether the argument refers to a private key, which may need a passphrase.
fn is_private(key: &str) -> bool {
    let has_one = |path: &Path| {
        std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains("PRIVATE KEY-----"))
    };
    key.starts_with("env:") || has_one(Path::new(key))
}
