//! `self update`: replaces this program with the newest version that was signed for it.

mod origin;
mod running;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use spindrift_client::{Error, Trusted, Update, Withheld, replace_program};

use self::origin::{Origin, OriginOptions, VERSION};
use crate::context::Context;
use crate::download::{fetch, from_client};
use crate::error::CliError;
use crate::exit::Outcome;

/// The published file is the bare program, on Windows too.
const PACKAGE: &str = "";

/// The commands about this program.
#[derive(Debug, Subcommand)]
pub(crate) enum ThisProgram {
    /// Replace this program with the newest version, if it was signed for it.
    Update(SelfUpdate),
}

impl ThisProgram {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        match self {
            Self::Update(args) => args.run(context).await,
        }
    }
}

/// Arguments of `self update`.
#[derive(Debug, Args)]
pub(crate) struct SelfUpdate {
    /// Only say whether there is a newer version, and exit with 10 if there is.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    origin: OriginOptions,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Answer<'a> {
    /// The version of the running program.
    installed: &'static str,
    update_available: bool,
    version: Option<&'a str>,
    /// The program on the disk, if it was replaced.
    replaced: Option<&'a Path>,
}

impl SelfUpdate {
    pub(crate) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let origin = Origin::new(context, self.origin)?;
        // An update that cannot be installed is not downloaded.
        let program = if self.check { None } else { Some(running::program()?) };
        let failed = |error| from_client(&origin.url, error);
        let Some(update) = origin.client.check(&origin.options).await.map_err(failed)? else {
            // Also verifies that the service has not simply stopped offering anything.
            let withheld = origin.trust.withheld(None).await.map_err(failed)?;
            return up_to_date(context, withheld);
        };
        let trusted = origin.trust.trusted(&update, PACKAGE).await.map_err(failed)?;
        let version = trusted.version.as_str();
        let mut answer =
            Answer { installed: VERSION, update_available: true, version: Some(version), replaced: None };
        let Some(program) = program else {
            context.output.result(&answer, &format!("{version} is available, and signed"))?;
            return Ok(Outcome::Update);
        };
        install(context, &origin, &update, &trusted, &program).await?;
        answer.replaced = Some(&program);
        let text = format!("updated from {VERSION} to {version}: {}", program.display());
        context.output.result(&answer, &text)?;
        Ok(Outcome::Done)
    }
}

fn up_to_date(context: &Context, withheld: Option<Withheld>) -> Result<Outcome, CliError> {
    if let Some(withheld) = withheld {
        let version = withheld.version;
        context.output.message(&format!("warning: {version} was signed weeks ago, but is not offered"));
    }
    let answer = Answer { installed: VERSION, update_available: false, version: None, replaced: None };
    context.output.result(&answer, &format!("{VERSION} is up to date"))?;
    Ok(Outcome::Done)
}

/// Downloads the program beside the running one, so that it can be moved to its place, and moves it there. Until then
/// the running one is not touched.
async fn install(
    context: &Context,
    origin: &Origin,
    update: &Update,
    trusted: &Trusted,
    program: &Path,
) -> Result<(), CliError> {
    let version = &trusted.version;
    let missing = || CliError::NotFound(format!("version {version} has no program without an extension"));
    let url = update.url_of(PACKAGE).ok_or_else(missing)?;
    let folder = program.parent().unwrap_or(program);
    let new = beside(program);
    let download = trusted.download(url, &new).with_identity(&trusted.name);
    let done = fetch(context, &origin.client, &download, &new).await;
    done.map_err(|error| match error {
        // The user knows the folder, and not the name of the file.
        Error::File { source, .. } => CliError::file(folder)(source),
        error => from_client(url, error),
    })?;
    replace_program(program, &new).map_err(CliError::file(folder))
}

/// The path of the downloaded program. The whole name stays in it: `spindrift-1.0` and `spindrift-1.1` are two programs.
fn beside(program: &Path) -> PathBuf {
    let mut path = program.as_os_str().to_owned();
    path.push(".new");
    path.into()
}
