//! `channel create|list|update|delete`.

use clap::Subcommand;
use spindrift_api::{ChannelBody, ChannelEntry};

use super::catalog::{self, Column};
use crate::context::Context;
use crate::error::CliError;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Channel {
    /// Create a channel.
    Create {
        /// Name, like `stable`.
        name: String,
        /// A channel whose releases are also offered to clients of this one. May be repeated.
        #[arg(long = "include", value_name = "NAME")]
        includes: Vec<String>,
    },
    /// List all channels.
    List,
    /// Rename a channel, or change the channels that it includes.
    Update {
        /// Name of the channel.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME", required_unless_present_any = ["includes", "include_none"])]
        rename: Option<String>,
        /// A channel whose releases are also offered to clients of this one. May be repeated; replaces the previous
        /// ones.
        #[arg(long = "include", value_name = "NAME")]
        includes: Vec<String>,
        /// Include no other channel.
        #[arg(long, conflicts_with = "includes")]
        include_none: bool,
    },
    /// Delete a channel that no release uses.
    Delete {
        /// Name of the channel.
        name: String,
    },
}

impl Channel {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name, includes } => {
                let body = ChannelBody { id: None, channel: Some(name.clone()), includes: Some(includes) };
                catalog::create::<ChannelEntry>(context, &name, &body).await
            }
            Self::List => {
                let columns: [Column<ChannelEntry>; 3] = [
                    ("NAME", |entry| entry.channel_name.clone()),
                    ("INCLUDES", |entry| entry.includes.join(", ")),
                    ("ID", |entry| entry.id.to_string()),
                ];
                catalog::show(context, &columns).await
            }
            Self::Update { name, rename, includes, include_none } => {
                let includes = (include_none || !includes.is_empty()).then_some(includes);
                let body = |id| ChannelBody { id: Some(id), channel: rename, includes };
                catalog::update::<ChannelEntry, _>(context, &name, body).await
            }
            Self::Delete { name } => catalog::delete::<ChannelEntry>(context, &name).await,
        }
    }
}
