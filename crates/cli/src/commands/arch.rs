//! `arch create|list|update|delete`.

use clap::Subcommand;
use spindrift_api::{ArchBody, ArchEntry, Switch};

use super::catalog::{self, Column};
use super::force::Force;
use super::unnamed;
use crate::context::Context;
use crate::error::CliError;
use crate::output::yes_or_empty;

#[derive(Debug, Subcommand)]
pub(crate) enum ArchCommand {
    /// Create an architecture.
    Create {
        /// Name, like `amd64`.
        name: String,
    },
    /// List all architectures.
    List,
    /// Rename an architecture, or make it the default.
    Update {
        /// Name of the architecture.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME", required_unless_present = "default")]
        rename: Option<String>,
        /// Make it the default for clients that name no architecture. `--default false` undoes this.
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        default: Option<bool>,
        #[command(flatten)]
        force: Force,
    },
    /// Delete an architecture that no release uses.
    Delete {
        /// Name of the architecture.
        name: String,
        #[command(flatten)]
        force: Force,
    },
}

impl ArchCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name } => {
                let body = ArchBody { arch: Some(name.clone()), ..ArchBody::default() };
                catalog::create::<ArchEntry>(context, &name, &body).await?;
                unnamed::report_devices::<ArchEntry>(context, &name).await;
                Ok(())
            }
            Self::List => {
                let columns: [Column<ArchEntry>; 3] = [
                    ("NAME", |entry| entry.arch_name.clone()),
                    ("DEFAULT", |entry| yes_or_empty(entry.default)),
                    ("ID", |entry| entry.id.to_string()),
                ];
                catalog::show(context, &columns).await
            }
            Self::Update { name, rename, default, force } => {
                let default = default.map(Switch);
                let body = |id| ArchBody { id: Some(id), arch: rename, default, force: None };
                catalog::update::<ArchEntry, _>(context, &name, force, body).await
            }
            Self::Delete { name, force } => catalog::delete::<ArchEntry>(context, &name, force).await,
        }
    }
}
