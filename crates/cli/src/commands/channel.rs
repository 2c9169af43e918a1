//! `channel create|list|update|delete`.

use clap::Subcommand;
use spindrift_api::{ChannelBody, ChannelEntry, Switch};

use super::catalog::{self, Column};
use super::force::Force;
use super::unnamed;
use crate::context::Context;
use crate::error::CliError;
use crate::output::yes_or_empty;

#[derive(Debug, Subcommand)]
pub(crate) enum ChannelCommand {
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
    /// Rename a channel, change the channels that it includes, or make it the default.
    Update {
        /// Name of the channel.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME", required_unless_present_any = ["includes", "include_none", "default"])]
        rename: Option<String>,
        /// A channel whose releases are also offered to clients of this one. May be repeated; replaces the
        /// previous ones.
        #[arg(long = "include", value_name = "NAME")]
        includes: Vec<String>,
        /// Include no other channel.
        #[arg(long, conflicts_with = "includes")]
        include_none: bool,
        /// Make it the default for clients that name no channel. `--default false` undoes this.
        #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
        default: Option<bool>,
        #[command(flatten)]
        force: Force,
    },
    /// Delete a channel that no release uses.
    Delete {
        /// Name of the channel.
        name: String,
        #[command(flatten)]
        force: Force,
    },
}

impl ChannelCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name, includes } => {
                let body = ChannelBody {
                    channel: Some(name.clone()),
                    includes: Some(includes),
                    ..ChannelBody::default()
                };
                catalog::create::<ChannelEntry>(context, &name, &body).await?;
                unnamed::report_devices::<ChannelEntry>(context, &name).await;
                Ok(())
            }
            Self::List => {
                let columns: [Column<ChannelEntry>; 4] = [
                    ("NAME", |entry| entry.channel_name.clone()),
                    ("DEFAULT", |entry| yes_or_empty(entry.default)),
                    ("INCLUDES", |entry| entry.includes.join(", ")),
                    ("ID", |entry| entry.id.to_string()),
                ];
                catalog::show(context, &columns).await
            }
            Self::Update { name, rename, includes, include_none, default, force } => {
                let includes = (include_none || !includes.is_empty()).then_some(includes);
                let default = default.map(Switch);
                let body = |id| ChannelBody { id: Some(id), channel: rename, includes, default, force: None };
                catalog::update::<ChannelEntry, _>(context, &name, force, body).await
            }
            Self::Delete { name, force } => catalog::delete::<ChannelEntry>(context, &name, force).await,
        }
    }
}
