//! `arch create|list|update|delete`.

use clap::Subcommand;
use spindrift_api::{ArchBody, ArchEntry};

use super::catalog::{self, Column};
use crate::context::Context;
use crate::error::CliError;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Arch {
    /// Create an architecture.
    Create {
        /// Name, like `amd64`.
        name: String,
    },
    /// List all architectures.
    List,
    /// Rename an architecture.
    Update {
        /// Name of the architecture.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        rename: String,
    },
    /// Delete an architecture that no release uses.
    Delete {
        /// Name of the architecture.
        name: String,
    },
}

impl Arch {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name } => {
                let body = ArchBody { arch: Some(name.clone()), ..ArchBody::default() };
                catalog::create::<ArchEntry>(context, &name, &body).await
            }
            Self::List => {
                let columns: [Column<ArchEntry>; 2] =
                    [("NAME", |entry| entry.arch_name.clone()), ("ID", |entry| entry.id.to_string())];
                catalog::show(context, &columns).await
            }
            Self::Update { name, rename } => {
                let body = |id| ArchBody { id: Some(id), arch: Some(rename) };
                catalog::update::<ArchEntry, _>(context, &name, body).await
            }
            Self::Delete { name } => catalog::delete::<ArchEntry>(context, &name).await,
        }
    }
}
