//! Runs the program, from arguments to exit code.

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::args::{Arguments, Command};
use crate::commands::{account, completions, hand_over};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::{self, Outcome};

/// The definition of the command line, for manual pages and completions.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The whole program, for `main` functions: parses the process's arguments, runs the command and returns its exit code.
pub fn main_from_args() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Update) => ExitCode::from(exit::UPDATE),
        Ok(Outcome::Waiting) => ExitCode::from(exit::WAITING),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: Arguments) -> Result<Outcome, CliError> {
    let asked = match arguments.command {
        // These commands need neither a service nor the user's folders.
        Command::Completions(shell) => {
            return completions::completions(&shell, command()).map(|()| Outcome::Done);
        }
        Command::Man(man) => return completions::man(&man, command()).map(|()| Outcome::Done),
        Command::Up(rest) => return hand_over::run("up", &rest).map(|()| Outcome::Done),
        Command::Demo(rest) => return hand_over::run("demo", &rest).map(|()| Outcome::Done),
        asked => asked,
    };
    let context = Context::new(&arguments.globals)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| CliError::Other(format!("no threads: {error}")))?;
    let done = runtime.block_on(dispatch(&context, asked));
    // Threads that read files for aborted uploads may still be running.
    runtime.shutdown_background();
    done
}

async fn dispatch(context: &Context, command: Command) -> Result<Outcome, CliError> {
    match command {
        Command::Check(args) => return args.run(context).await,
        Command::Trust(command) => return command.run(context).await,
        Command::Signup(args) => args.run(context).await?,
        Command::Login(args) => args.run(context).await?,
        Command::Logout(args) => args.run(context).await?,
        Command::Whoami => account::whoami(context).await?,
        Command::App(command) => command.run(context).await?,
        Command::Channel(command) => command.run(context).await?,
        Command::Platform(command) => command.run(context).await?,
        Command::Arch(command) => command.run(context).await?,
        Command::Token(command) => command.run(context).await?,
        Command::DownloadToken(command) => command.run(context).await?,
        Command::User(command) => command.run(context).await?,
        Command::Publish(args) => return args.run(context).await,
        Command::Latest(args) => args.run(context).await?,
        Command::Releases(args) => args.run(context).await?,
        Command::Rollout(command) => command.run(context).await?,
        Command::Yank(args) => args.run(context).await?,
        Command::Telemetry(args) => args.run(context).await?,
        Command::Reports(command) => command.run(context).await?,
        Command::Import(command) => command.run(context).await?,
        Command::Doctor(args) => args.run(context).await?,
        // Handled above.
        Command::Completions(_) | Command::Man(_) | Command::Up(_) | Command::Demo(_) => {}
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
