//! `rollout health`.

mod rows;

use std::path::Path;
use std::process::{Command, Stdio};

use clap::Args;
use spindrift_api::{ReleaseHealthBody, VerdictName};

use self::rows::rows;
use super::selection::OfferSelection;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::releases;

/// The system's shell, with its arguments before a command.
const SHELL: (&str, &[&str]) = if cfg!(windows) { ("cmd", &["/S", "/C"]) } else { ("sh", &["-c"]) };

#[derive(Debug, Args)]
pub(crate) struct RolloutHealthCommand {
    #[command(flatten)]
    selection: OfferSelection,
    /// Exit with 0 if the release is healthy, with 12 if it is unhealthy, and with 13 if nobody knows yet.
    #[arg(long)]
    exit_code: bool,
    /// If the release is healthy, also run this command in the shell (`sh -c`, on Windows `cmd /C`), and exit
    /// with 12 if it fails. Its output goes to standard error.
    #[arg(long, value_name = "COMMAND", requires = "exit_code")]
    and: Option<String>,
}

impl RolloutHealthCommand {
    pub(super) async fn run(self, context: &Context) -> Result<Outcome, CliError> {
        let OfferSelection { version, app, channel } = self.selection;
        let service = context.authenticated()?;
        let release = releases::find_offers(&service, &app, &version).await?;
        let query: Vec<_> = channel.into_iter().map(|channel| ("channel", channel)).collect();
        let call = service.get(&format!("/releases/{}/health", release.id)).query(&query);
        let health: ReleaseHealthBody = call.json().await?;
        context.output.rows(&health, &["", ""], &rows(&release, &health))?;
        match (self.exit_code, health.verdict) {
            (false, _) => Ok(Outcome::Done),
            (true, VerdictName::Unhealthy) => Ok(Outcome::Unhealthy),
            (true, VerdictName::Unknown) => Ok(Outcome::Unknown),
            (true, VerdictName::Healthy) => self.and.map_or(Ok(Outcome::Done), |command| {
                let outcome = outcome_of(&command)?;
                if outcome == Outcome::Unhealthy {
                    context.output.message(&format!("`{command}` failed"));
                }
                Ok(outcome)
            }),
        }
    }
}

/// Runs a command in the shell.
fn outcome_of(command: &str) -> Result<Outcome, CliError> {
    let (shell, before) = SHELL;
    let mut run = Command::new(shell);
    run.args(before);
    #[cfg(windows)]
    // `cmd` takes the rest verbatim, without the outer quotation marks.
    std::os::windows::process::CommandExt::raw_arg(&mut run, format!("\"{command}\""));
    #[cfg(not(windows))]
    run.arg(command);
    // Standard output is reserved for the verdict.
    let ended = run.stdout(Stdio::from(std::io::stderr())).status();
    let ended = ended.map_err(CliError::file(Path::new(shell)))?;
    Ok(if ended.success() { Outcome::Done } else { Outcome::Unhealthy })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_to_succeed() {
        for (command, expected) in [
            ("exit 0", Outcome::Done),
            ("exit 3", Outcome::Unhealthy),
            ("no-such-command", Outcome::Unhealthy),
        ] {
            assert_eq!(outcome_of(command).unwrap(), expected, "{command}");
        }
    }

    #[test]
    fn a_command_needs_an_exit_code() {
        let understood = |words: &str| {
            let words = format!("spindrift rollout health 2.0 --app notes{words}");
            crate::command()
                .try_get_matches_from(words.split(' '))
                .map(drop)
                .map_err(|error| error.to_string())
        };
        for words in ["", " --channel beta", " --exit-code", " --exit-code --and ./probe"] {
            assert_eq!(understood(words), Ok(()), "{words}");
        }
        assert!(understood(" --and ./probe").unwrap_err().contains("--exit-code"));
    }
}
