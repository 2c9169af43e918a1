//! `channel create|list|update|delete`.

use clap::Subcommand;
use serde_json::{Value, json};

use super::catalog::CHANNEL;
use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Channel {
    /// Make a channel.
    Create {
        /// Its name, like `stable`.
        name: String,
        /// A channel whose releases its clients are offered too. May be repeated.
        #[arg(long = "include", value_name = "NAME")]
        includes: Vec<String>,
    },
    /// Show them all.
    List,
    /// Rename a channel, or change which others it includes.
    Update {
        /// Its name.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME", required_unless_present_any = ["includes", "include_none"])]
        rename: Option<String>,
        /// A channel whose releases its clients are offered too. May be repeated; replaces those from before.
        #[arg(long = "include", value_name = "NAME")]
        includes: Vec<String>,
        /// Include no other channel.
        #[arg(long, conflicts_with = "includes")]
        include_none: bool,
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
            Self::Create { name, includes } => {
                let body = json!({ "channel": name, "includes": includes });
                CHANNEL.create(context, &name, &body).await
            }
            Self::List => {
                CHANNEL
                    .show(
                        context,
                        &[
                            ("NAME", |entry| text(entry, CHANNEL.name)),
                            ("INCLUDES", included),
                            ("ID", |entry| text(entry, "ID")),
                        ],
                    )
                    .await
            }
            Self::Update { name, rename, includes, include_none } => {
                let mut body = json!({});
                if let Some(rename) = rename {
                    body["channel"] = rename.into();
                }
                if include_none || !includes.is_empty() {
                    body["includes"] = includes.into();
                }
                CHANNEL.update(context, &name, body).await
            }
            Self::Delete { name } => CHANNEL.delete(context, &name).await,
        }
    }
}

/// The channels that one includes.
fn included(entry: &Value) -> String {
    list(entry, "Includes").iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}
