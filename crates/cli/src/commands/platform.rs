//! `platform create|list|update|delete`.

use clap::Subcommand;
use serde_json::{Value, json};

use super::catalog::{Column, PLATFORM};
use crate::context::Context;
use crate::error::CliError;
use crate::output::{list, text};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Platform {
    /// Make a platform.
    Create {
        /// Its name, like `linux`.
        name: String,
        /// An updater that its clients use; may be repeated, the first is the default one [default: manual].
        #[arg(long = "updater", value_name = "UPDATER")]
        updaters: Vec<String>,
    },
    /// Show them all.
    List,
    /// Rename a platform, or give it other updaters.
    Update {
        /// Its name.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME", required_unless_present = "updaters")]
        rename: Option<String>,
        /// An updater that its clients use from now on; may be repeated, the first is the default one.
        #[arg(long = "updater", value_name = "UPDATER")]
        updaters: Vec<String>,
    },
    /// Delete a platform that no release uses.
    Delete {
        /// Its name.
        name: String,
    },
}

impl Platform {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name, updaters } => {
                let body = with_updaters(json!({ "platform": name }), &updaters);
                PLATFORM.create(context, &name, &body).await
            }
            Self::List => {
                let columns: [Column; 3] = [
                    ("NAME", |entry| text(entry, PLATFORM.name)),
                    ("UPDATERS", updaters_of),
                    ("ID", |entry| text(entry, "ID")),
                ];
                PLATFORM.show(context, &columns).await
            }
            Self::Update { name, rename, updaters } => {
                let body = rename.map_or_else(|| json!({}), |rename| json!({ "platform": rename }));
                PLATFORM.update(context, &name, with_updaters(body, &updaters)).await
            }
            Self::Delete { name } => PLATFORM.delete(context, &name).await,
        }
    }
}

fn with_updaters(mut body: Value, updaters: &[String]) -> Value {
    let entry = |(place, name): (usize, &String)| json!({ "type": name, "default": place == 0 });
    if !updaters.is_empty() {
        body["updaters"] = updaters.iter().enumerate().map(entry).collect();
    }
    body
}

/// The default one is marked.
fn updaters_of(entry: &Value) -> String {
    let show = |updater: &Value| {
        format!("{}{}", text(updater, "type"), if updater["default"] == true { "*" } else { "" })
    };
    list(entry, "Updaters").iter().map(show).collect::<Vec<_>>().join(", ")
}
