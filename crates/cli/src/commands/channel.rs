//! `channel create|list|update|delete`.

use clap::Subcommand;
use serde_json::json;

use super::catalog::CHANNEL;
use crate::context::Context;
use crate::error::CliError;
use crate::output::text;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Channel {
    /// Make a channel.
    Create {
        /// Its name, like `stable`.
        name: String,
    },
    /// Show them all.
    List,
    /// Rename a channel.
    Update {
        /// Its name.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME")]
        rename: String,
    },
    /// Delete a channel that no release uses.
    Delete {
        /// Its name.
        name: String,
    },
}

impl Channel {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name } => CHANNEL.create(context, &name, &json!({ "channel": name })).await,
            Self::List => {
                CHANNEL
                    .show(
                        context,
                        &[("NAME", |entry| text(entry, CHANNEL.name)), ("ID", |entry| text(entry, "ID"))],
                    )
                    .await
            }
            Self::Update { name, rename } => {
                CHANNEL.update(context, &name, json!({ "channel": rename })).await
            }
            Self::Delete { name } => CHANNEL.delete(context, &name).await,
        }
    }
}
