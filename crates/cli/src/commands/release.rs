//! `release list|show|publish|withdraw|restore|edit|delete`.

pub(super) mod publish;
mod show;
mod which;
mod withdraw;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::json;
use spindrift_api::{Percentage, ReleaseDeletedBody, ReleaseEntry, ReleaseUpdateData};

use self::publish::Publish;
use self::show::Show;
use self::which::Which;
use self::withdraw::{Restore, Withdraw};
use super::releases::Releases;
use crate::context::Context;
use crate::error::CliError;
use crate::publish::release::given_or_read;
use crate::releases;

/// The commands. Files are uploaded with `spindrift publish`, and a release is taken back with `spindrift yank`.
#[derive(Debug, Subcommand)]
pub(crate) enum Release {
    /// List releases with their files, published or not.
    List(Releases),
    /// Show one release and its files.
    Show(Show),
    /// Offer a draft, or a release that was yanked, now or at a time.
    ///
    /// All its platforms and architectures are offered at once. `spindrift yank` takes a time back.
    Publish(Publish),
    /// Recall a release. Clients that run it are told so, and no client is offered it any more.
    ///
    /// Withdrawing it again changes the reason.
    Withdraw(Withdraw),
    /// Make a withdrawn release a draft again.
    Restore(Restore),
    /// Change a release. Omitted options stay as they are.
    Edit(Edit),
    /// Permanently delete a release and its files. `spindrift yank` only stops offering it.
    Delete(Delete),
}

/// Arguments of `release edit`.
#[derive(Debug, Args)]
pub(crate) struct Edit {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    changes: Changes,
}

/// The properties to change.
#[derive(Debug, Args)]
#[group(required = true, multiple = true)]
pub(crate) struct Changes {
    /// Whether clients should not postpone it.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    critical: Option<bool>,
    /// Whether clients must not skip it.
    #[arg(long, value_name = "BOOL", num_args = 0..=1, default_missing_value = "true")]
    intermediate: Option<bool>,
    /// Percentage of devices that it is offered to.
    #[arg(long, value_name = "PERCENT")]
    rollout: Option<Percentage>,
    /// Release notes.
    #[arg(long, value_name = "TEXT", conflicts_with = "changelog_file")]
    changelog: Option<String>,
    /// File with the release notes; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    changelog_file: Option<PathBuf>,
}

/// Arguments of `release delete`.
#[derive(Debug, Args)]
pub(crate) struct Delete {
    #[command(flatten)]
    which: Which,
    /// Do not ask.
    #[arg(long)]
    yes: bool,
}

impl Release {
    pub(crate) async fn run(self, context: &Context) -> Result<(), CliError> {
        match self {
            Self::List(list) => list.run(context).await,
            Self::Show(show) => show.run(context).await,
            Self::Publish(publish) => publish.run(context).await,
            Self::Withdraw(withdraw) => withdraw.run(context).await,
            Self::Restore(restore) => restore.run(context).await,
            Self::Edit(edit) => edit.run(context).await,
            Self::Delete(delete) => delete.run(context).await,
        }
    }
}

impl Edit {
    async fn run(self, context: &Context) -> Result<(), CliError> {
        let Self { which: Which { version, app }, changes } = self;
        let changelog = given_or_read(changes.changelog.as_ref(), changes.changelog_file.as_deref())?;
        let service = context.authenticated()?;
        let release = releases::find(&service, &app, &version).await?;
        let change = ReleaseUpdateData {
            id: release.id.to_string(),
            critical: changes.critical,
            intermediate: changes.intermediate,
            rollout: changes.rollout.map(Into::into),
            changelog,
            ..ReleaseUpdateData::default()
        };
        releases::change(&service, &change).await?;
        let answer = json!({ "id": release.id, "version": release.version, "updated": true });
        context.output.result(&answer, &format!("{app} {} is changed", release.version))
    }
}

impl Delete {
    async fn run(self, context: &Context) -> Result<(), CliError> {
        let Which { version, app } = self.which;
        let service = context.authenticated()?;
        let release = releases::find(&service, &app, &version).await?;
        if !self.yes {
            agree(&app, &release)?;
        }
        let _: ReleaseDeletedBody = service.delete("/apps/delete", &release.id).await?;
        let answer = json!({ "id": release.id, "version": release.version, "deleted": true });
        context.output.result(&answer, &format!("{app} {} is deleted", release.version))
    }
}

/// Asks on the terminal.
fn agree(app: &str, release: &ReleaseEntry) -> Result<(), CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::usage("there is no terminal to ask on: pass --yes to delete the release"));
    }
    let files = release.artifacts.len();
    eprint!("Permanently delete {app} {} and its files ({files})? [y/N] ", release.version);
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.map_err(CliError::file(std::path::Path::new("the terminal")))?;
    if matches!(line.trim(), "y" | "Y" | "yes") {
        Ok(())
    } else {
        Err(CliError::Other("nothing was deleted".to_owned()))
    }
}
