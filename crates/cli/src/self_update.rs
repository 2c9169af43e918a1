//! `self update`: replaces this program with its newest signed version.

mod origin;
mod running;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use spindrift_client::{Error, Trusted, Update, Way, Withheld, replace_program};

use self::origin::{Origin, OriginOptions, VERSION};
use crate::context::Context;
use crate::download::{fetch, from_client};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::output::bytes;

/// The empty package: the published file is the bare program, on Windows too.
const PACKAGE: &str = "";

#[derive(Debug, Subcommand)]
pub(crate) enum SelfCommand {
    /// Replace this program with the newest version, if it was signed for it.
    Update(SelfUpdateCommand),
}

impl SelfCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::Update(args) => args.run(context).await,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct SelfUpdateCommand {
    /// Only say whether there is a newer version, and exit with 10 if there is.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    origin: OriginOptions,
}

#[derive(Serialize)]
struct UpdateReport<'a> {
    installed: &'static str,
    update_available: bool,
    version: Option<&'a str>,
    /// The path of the replaced program.
    replaced: Option<&'a Path>,
    /// How many bytes a patch saved, if one was used.
    saved: Option<u64>,
}

impl Default for UpdateReport<'_> {
    fn default() -> Self {
        Self { installed: VERSION, update_available: false, version: None, replaced: None, saved: None }
    }
}

impl SelfUpdateCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let origin = Origin::new(context, self.origin)?;
        // Do not download an update that cannot be installed.
        let program = if self.check { None } else { Some(running::program()?) };
        let failed = |error| from_client(&origin.url, error);
        let Some(update) = origin.client.check(&origin.options).await.map_err(failed)? else {
            // Also detects a service that has silently stopped offering updates.
            let withheld = origin.trust.withheld(None).await.map_err(failed)?;
            return up_to_date(context, withheld);
        };
        let trusted = origin.trust.trusted(&update, PACKAGE).await.map_err(failed)?;
        let version = trusted.version.as_str();
        let mut answer =
            UpdateReport { update_available: true, version: Some(version), ..UpdateReport::default() };
        let Some(program) = program else {
            context.output.result(&answer, &format!("{version} is available, and signed"))?;
            return Ok(Outcome::Update);
        };
        answer.saved = install(context, &origin, &update, &trusted, &program).await?;
        answer.replaced = Some(&program);
        let saved =
            answer.saved.map(|saved| format!(" (a patch saved {})", bytes(saved))).unwrap_or_default();
        let text = format!("updated from {VERSION} to {version}: {}{saved}", program.display());
        context.output.result(&answer, &text)?;
        Ok(Outcome::Done)
    }
}

fn up_to_date(context: &Context, withheld: Option<Withheld>) -> Result<Outcome, CliError> {
    if let Some(withheld) = withheld {
        let version = withheld.version;
        context.output.message(&format!("warning: {version} was signed weeks ago, but is not offered"));
    }
    context.output.result(&UpdateReport::default(), &format!("{VERSION} is up to date"))?;
    Ok(Outcome::Done)
}

/// Downloads the program beside the running one, so that it can be renamed into place, and then
/// does so. Until then the running program is not touched. Returns how many bytes a patch saved.
async fn install(
    context: &Context,
    origin: &Origin,
    update: &Update,
    trusted: &Trusted,
    program: &Path,
) -> Result<Option<u64>, CliError> {
    let version = &trusted.version;
    let missing = || CliError::NotFound(format!("version {version} has no program without an extension"));
    let url = update.url_of(PACKAGE).ok_or_else(missing)?;
    let folder = program.parent().unwrap_or(program);
    let new = download_path(program);
    let mut download = trusted.download(url, &new).with_identity(&trusted.name);
    if let Some(patch) = update.patch_of(PACKAGE) {
        download = download.with_patch(patch.clone(), program);
    }
    let done = fetch(context, &origin.client, &download, &new).await;
    let done = done.map_err(|error| match error {
        // Name the folder, because the user does not know the temporary file.
        Error::File { source, .. } => CliError::file(folder)(source),
        error => from_client(url, error),
    })?;
    replace_program(program, &new).map_err(CliError::file(folder))?;
    Ok(match done.way {
        Way::Patched { saved } => Some(saved),
        _ => None,
    })
}

/// The path for the downloaded program. It keeps the full name, because `spindrift-1.0` and
/// `spindrift-1.1` are two programs.
fn download_path(program: &Path) -> PathBuf {
    let mut path = program.as_os_str().to_owned();
    path.push(".new");
    path.into()
}
