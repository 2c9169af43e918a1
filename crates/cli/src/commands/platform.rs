//! `platform create|list|update|delete`.

use clap::Subcommand;
use spindrift_api::{PlatformBody, PlatformEntry, UpdaterBody};

use super::catalog::{self, Column};
use crate::context::Context;
use crate::error::CliError;

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Platform {
    /// Create a platform.
    Create {
        /// Name, like `linux`.
        name: String,
        /// An updater that its clients use. May be repeated; the first is the default [default: manual].
        #[arg(long = "updater", value_name = "UPDATER")]
        updaters: Vec<String>,
    },
    /// List all platforms.
    List,
    /// Rename a platform, or replace its updaters.
    Update {
        /// Name of the platform.
        name: String,
        /// The new name.
        #[arg(long, value_name = "NAME", required_unless_present = "updaters")]
        rename: Option<String>,
        /// An updater that its clients use from now on. May be repeated; the first is the default.
        #[arg(long = "updater", value_name = "UPDATER")]
        updaters: Vec<String>,
    },
    /// Delete a platform that no release uses.
    Delete {
        /// Name of the platform.
        name: String,
    },
}

impl Platform {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name, updaters } => {
                let body = PlatformBody { id: None, platform: Some(name.clone()), updaters: given(updaters) };
                catalog::create::<PlatformEntry>(context, &name, &body).await
            }
            Self::List => {
                let columns: [Column<PlatformEntry>; 3] = [
                    ("NAME", |entry| entry.platform_name.clone()),
                    ("UPDATERS", |entry| entry.updaters.iter().map(shown).collect::<Vec<_>>().join(", ")),
                    ("ID", |entry| entry.id.to_string()),
                ];
                catalog::show(context, &columns).await
            }
            Self::Update { name, rename, updaters } => {
                let body = |id| PlatformBody { id: Some(id), platform: rename, updaters: given(updaters) };
                catalog::update::<PlatformEntry, _>(context, &name, body).await
            }
            Self::Delete { name } => catalog::delete::<PlatformEntry>(context, &name).await,
        }
    }
}

/// The first updater is the default. `None`: no updaters were given.
fn given(updaters: Vec<String>) -> Option<Vec<UpdaterBody>> {
    let entry = |(place, updater)| UpdaterBody { updater, default: place == 0 };
    (!updaters.is_empty()).then(|| updaters.into_iter().enumerate().map(entry).collect())
}

/// The name of an updater, with a mark on the default.
fn shown(updater: &UpdaterBody) -> String {
    format!("{}{}", updater.updater, if updater.default { "*" } else { "" })
}
