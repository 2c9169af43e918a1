//! Runs the program, from arguments to exit code.

use std::path::Path;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _};

use crate::args::{Arguments, Command};
use crate::commands::{account, completions};
use crate::context::Context;
use crate::error::CliError;
use crate::examples;
use crate::exit::Outcome;
use crate::job::JobNames;
use crate::output::Output;
use crate::project::Project;
use crate::refusal::one_line;

/// The definition of the command line, for manual pages and completions.
pub fn command() -> clap::Command {
    examples::add_examples(Arguments::command())
}

/// The whole program, for `main` functions: parses the process's arguments, runs the command and returns its
/// exit code.
pub fn main_from_args() -> ExitCode {
    // Parsing may fail, so look for `--json` first.
    let json = std::env::args_os().any(|argument| argument == "--json");
    match parse(json).and_then(|(arguments, names)| run(arguments, names)) {
        Ok(outcome) => ExitCode::from(outcome.exit_code()),
        Err(error) => {
            Output { json, quiet: false }.error(&error);
            ExitCode::from(error.exit_code())
        }
    }
}

/// Parses the arguments, with the values of `spindrift.toml` as defaults. Prints help or a usage
/// error and exits, unless errors are wanted as JSON.
fn parse(json: bool) -> Result<(Arguments, JobNames), CliError> {
    let folder = std::env::current_dir().map_err(CliError::file(Path::new(".")))?;
    let matches = Project::of(&folder)?.fill(command()).try_get_matches();
    let parsed = matches.and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((arguments, names(&matches)))
    });
    parsed.map_err(|error| {
        if !json || !error.use_stderr() {
            error.exit();
        }
        let text = error.render().to_string();
        let first = text.split("\n\n").next().unwrap_or(&text);
        CliError::usage(one_line(first.trim_start_matches("error: ")))
    })
}

/// The owner and the application that the command names, or else the environment.
fn names(matches: &ArgMatches) -> JobNames {
    let mut leaf = matches;
    while let Some((_, deeper)) = leaf.subcommand() {
        leaf = deeper;
    }
    let named = |option: &str, variable: &str| {
        let given = leaf.try_get_one::<String>(option).ok().flatten().cloned();
        given.or_else(|| std::env::var(variable).ok()).filter(|name| !name.is_empty())
    };
    JobNames { owner: named("owner", "SPINDRIFT_OWNER"), app: named("app", "SPINDRIFT_APP") }
}

fn run(arguments: Arguments, names: JobNames) -> Result<Outcome, CliError> {
    let asked = match arguments.command {
        // These commands need neither a service nor the user's folders.
        Command::Completions(shell) => {
            return completions::completions(&shell, command()).map(|()| Outcome::Done);
        }
        Command::Man(man) => return completions::man(&man, command()).map(|()| Outcome::Done),
        asked => asked,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Other(format!("no threads: {error}")))?;
    #[cfg(feature = "service")]
    let asked = match asked {
        Command::Local(command) => {
            return runtime.block_on(command.run()).map(|()| Outcome::Done).map_err(CliError::from);
        }
        asked => asked,
    };
    let context = Context::new(&arguments.globals, names)?;
    let done = runtime.block_on(async {
        match dispatch(&context, asked).await {
            Err(error @ CliError::NotLoggedIn { .. }) => Err(context.unreachable_or(error).await),
            done => done,
        }
    });
    // Threads may still be reading files for aborted uploads.
    runtime.shutdown_background();
    done
}

async fn dispatch(context: &Context, command: Command) -> Result<Outcome, CliError> {
    match command {
        Command::Check(args) => return args.run(context).await,
        Command::Release(command) => return command.run(context).await,
        Command::Rollout(command) => return command.run(context).await,
        Command::Trust(command) => return command.run(context).await,
        Command::ThisProgram(command) => return command.run(context).await,
        Command::Signup(args) => args.run(context).await?,
        Command::Login(args) => args.run(context).await?,
        Command::Logout(args) => args.run(context).await?,
        Command::Whoami => account::whoami(context).await?,
        Command::App(command) => command.run(context).await?,
        Command::Channel(command) => command.run(context).await?,
        Command::Platform(command) => command.run(context).await?,
        Command::Arch(command) => command.run(context).await?,
        Command::Token(command) => command.run(context).await?,
        Command::Publisher(command) => command.run(context).await?,
        Command::DownloadToken(command) => command.run(context).await?,
        Command::User(command) => command.run(context).await?,
        Command::Invitation(command) => command.run(context).await?,
        Command::Publish(args) => return args.run(context).await,
        Command::Explain(args) => args.run(context).await?,
        Command::Latest(args) => args.run(context).await?,
        Command::Releases(args) => args.run(context).await?,
        Command::Guard(command) => command.run(context).await?,
        Command::Yank(args) => args.run(context).await?,
        Command::Group(command) => command.run(context).await?,
        Command::Shutoff(command) => command.run(context).await?,
        Command::Freeze(command) => command.run(context).await?,
        Command::Webhook(command) => command.run(context).await?,
        Command::Telemetry(args) => args.run(context).await?,
        Command::Reports(command) => command.run(context).await?,
        Command::Audit(command) => command.run(context).await?,
        Command::Import(command) => command.run(context).await?,
        Command::Doctor(args) => args.run(context).await?,
        // Handled above.
        Command::Completions(_) | Command::Man(_) => {}
        #[cfg(feature = "service")]
        Command::Local(_) => {}
    }
    Ok(Outcome::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
