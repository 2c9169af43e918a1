//! `platform create|list|update|delete`.

use clap::{Args, Subcommand};
use spindrift_api::{PlatformBody, PlatformEntry, Switch, UpdaterBody, UpdaterRef};

use super::catalog::{self, Column};
use super::force::Force;
use super::unnamed;
use crate::context::Context;
use crate::error::CliError;
use crate::output::yes_or_empty;

#[derive(Debug, Subcommand)]
pub(crate) enum PlatformCommand {
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
    /// Rename a platform, change its updaters, or make it the default.
    Update {
        /// Name of the platform.
        name: String,
        #[command(flatten)]
        change: Box<PlatformChange>,
    },
    /// Delete a platform that no release uses.
    Delete {
        /// Name of the platform.
        name: String,
        #[command(flatten)]
        force: Force,
    },
}

/// The change of a platform.
#[derive(Debug, Args)]
pub(crate) struct PlatformChange {
    /// The new name.
    #[arg(long, value_name = "NAME", required_unless_present_any = ["added", "removed", "updaters", "default"])]
    rename: Option<String>,
    /// Add an updater that its clients use. May be repeated.
    #[arg(id = "added", long = "add-updater", value_name = "UPDATER")]
    added: Vec<String>,
    /// Remove an updater that its clients no longer use. May be repeated.
    #[arg(id = "removed", long = "remove-updater", value_name = "UPDATER")]
    removed: Vec<String>,
    /// Replace all updaters: others are removed. May be repeated; the first is the default.
    #[arg(long = "updater", value_name = "UPDATER", conflicts_with_all = ["added", "removed"])]
    updaters: Vec<String>,
    /// Make it the default for clients that name no platform. `--default false` undoes this.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    default: Option<bool>,
    #[command(flatten)]
    force: Force,
}

impl PlatformChange {
    fn body(self, id: String) -> PlatformBody {
        let named = |updaters: Vec<String>| {
            (!updaters.is_empty()).then(|| updaters.into_iter().map(UpdaterRef::Name).collect())
        };
        PlatformBody {
            id: Some(id),
            platform: self.rename,
            updaters: updater_bodies(self.updaters),
            add_updaters: named(self.added),
            remove_updaters: named(self.removed),
            default: self.default.map(Switch),
            force: None,
        }
    }
}

impl PlatformCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::Create { name, updaters } => {
                let body = PlatformBody {
                    platform: Some(name.clone()),
                    updaters: updater_bodies(updaters),
                    ..PlatformBody::default()
                };
                catalog::create::<PlatformEntry>(context, &name, &body).await?;
                unnamed::report_devices::<PlatformEntry>(context, &name).await;
                Ok(())
            }
            Self::List => {
                let columns: [Column<PlatformEntry>; 4] = [
                    ("NAME", |entry| entry.platform_name.clone()),
                    ("DEFAULT", |entry| yes_or_empty(entry.default)),
                    ("UPDATERS", |entry| {
                        entry.updaters.iter().map(updater_text).collect::<Vec<_>>().join(", ")
                    }),
                    ("ID", |entry| entry.id.to_string()),
                ];
                catalog::show(context, &columns).await
            }
            Self::Update { name, change } => {
                let force = change.force;
                catalog::update::<PlatformEntry, _>(context, &name, force, |id| change.body(id)).await
            }
            Self::Delete { name, force } => catalog::delete::<PlatformEntry>(context, &name, force).await,
        }
    }
}

/// The updaters for a request: the first is the default. `None`: no updaters were given.
fn updater_bodies(updaters: Vec<String>) -> Option<Vec<UpdaterBody>> {
    let entry = |(place, updater)| UpdaterBody { updater, default: place == 0 };
    (!updaters.is_empty()).then(|| updaters.into_iter().enumerate().map(entry).collect())
}

/// The name of an updater; the default is marked.
fn updater_text(updater: &UpdaterBody) -> String {
    format!("{}{}", updater.updater, if updater.default { "*" } else { "" })
}
