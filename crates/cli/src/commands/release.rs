//! `release list|show|publish|edit|delete`.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use spindrift_api::{
    ArtifactEntry, OfferBody, Percentage, ReleaseDeletedBody, ReleaseEntry, ReleaseUpdateData,
};

use super::releases::Releases;
use super::rollout::steps;
use crate::context::Context;
use crate::error::CliError;
use crate::output::bytes;
use crate::publish::release::given_or_read;
use crate::releases;

/// The commands. Files are uploaded with `spindrift publish`, and a release is taken back with `spindrift yank`.
#[derive(Debug, Subcommand)]
pub(crate) enum Release {
    /// List releases with their files, published or not.
    List(Releases),
    /// Show one release and its files.
    Show(Which),
    /// Offer a draft, or a release that was yanked.
    Publish(Which),
    /// Change a release. Omitted options stay as they are.
    Edit(Edit),
    /// Permanently delete a release and its files. `spindrift yank` only stops offering it.
    Delete(Delete),
}

/// A release.
#[derive(Debug, Args)]
pub(crate) struct Which {
    /// Version of the release.
    version: String,
    /// The application.
    #[arg(long, env = "SPINDRIFT_APP", value_name = "NAME")]
    app: String,
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
            Self::Show(which) => which.show(context).await,
            Self::Publish(which) => releases::offer(context, &which.app, &which.version, true).await,
            Self::Edit(edit) => edit.run(context).await,
            Self::Delete(delete) => delete.run(context).await,
        }
    }
}

/// A release as `--json` shows it.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    release: ReleaseEntry,
    /// Left out if the service does not say it.
    #[serde(rename = "Offers", skip_serializing_if = "Vec::is_empty")]
    offers: Vec<OfferBody>,
}

impl Which {
    async fn show(self, context: &Context) -> Result<(), CliError> {
        let service = context.authenticated()?;
        let release = releases::find(&service, &self.app, &self.version).await?;
        let offers = releases::offers(&service, &release.id).await?.map(|found| found.offers);
        let shown = Shown { release, offers: offers.unwrap_or_default() };
        context.output.rows(&shown, &["", ""], &rows(&shown))
    }
}

fn rows(shown: &Shown) -> Vec<Vec<String>> {
    let Shown { release, offers } = shown;
    let own = offers.iter().find(|offer| offer.own);
    let state = if release.published { "published" } else { "not published" };
    let notes = release.changelog.first().map(|entry| entry.changes.clone()).unwrap_or_default();
    let mut rows = vec![
        ("application", release.app_name.clone()),
        ("version", release.version.clone()),
        ("channel", release.channel.clone()),
        ("state", state.to_owned()),
        ("critical", release.critical.to_string()),
        ("intermediate", release.intermediate.to_string()),
        ("rollout", rollout(release, own)),
    ];
    rows.extend(own.map(steps).unwrap_or_default().into_iter().map(|step| ("step", step)));
    rows.extend([
        ("created", release.created_at.clone()),
        ("updated", release.updated_at.clone()),
        ("notes", notes),
    ]);
    rows.extend(release.artifacts.iter().map(|file| ("file", file_text(file))));
    rows.into_iter().map(|(label, value)| vec![label.to_owned(), value]).collect()
}

/// The percentage and the state. An earlier service says only the percentage.
fn rollout(release: &ReleaseEntry, own: Option<&OfferBody>) -> String {
    match own {
        Some(offer) => format!("{} %, {}", offer.rollout.part(), offer.rollout.state),
        None => format!("{} %", release.rollout_percent),
    }
}

fn file_text(file: &ArtifactEntry) -> String {
    let waiting = if file.offered { "" } else { ", waits for signatures" };
    let place = [file.platform.as_str(), file.arch.as_str(), file.package.as_str()];
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    format!("{}, {}{waiting}: {}", place.join("/"), bytes(file.size), file.link)
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
