//! `arch create|list|update|delete`.

use clap::Subcommand;
use serde_json::json;

use super::catalog::ARCH;
use crate::context::Context;
use crate::error::CliError;
use crate::output::text;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Arch {
    /// Make an architecture.
    Create {
        /// Its name, like `amd64`.
        name: String,
    },
    /// Show them all.
    List,
    /// Rename an architecture.
    Update {
        /// Its name.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        rename: String,
    },
    /// Delete an architecture that no release uses.
    Delete {
        /// Its name.
        name: String,
    },
}

impl Arch {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name } => ARCH.create(context, &name, &json!({ "arch": name })).await,
            Self::List => {
                ARCH.show(
                    context,
                    &[("NAME", |entry| text(entry, ARCH.name)), ("ID", |entry| text(entry, "ID"))],
                )
                .await
            }
            Self::Update { name, rename } => ARCH.update(context, &name, json!({ "arch": rename })).await,
            Self::Delete { name } => ARCH.delete(context, &name).await,
        }
    }
}
