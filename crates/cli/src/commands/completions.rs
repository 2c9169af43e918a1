//! `completions` and `man`.

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::Shell;

use crate::error::CliError;
use crate::output::print;

#[derive(Debug, Args)]
pub(crate) struct CompletionsCommand {
    /// The shell.
    shell: Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManCommand {
    /// Write a page for every command into this folder instead.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Prints the completions of `command` for a shell.
pub(crate) fn completions(args: &CompletionsCommand, mut command: Command) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "spindrift", &mut script);
    print(&script)
}

/// Prints the manual page of `command`, or writes the pages of all its commands.
pub(crate) fn man(args: &ManCommand, command: Command) -> Result<(), CliError> {
    if let Some(folder) = &args.dir {
        std::fs::create_dir_all(folder).map_err(CliError::file(folder))?;
        return clap_mangen::generate_to(command, folder).map_err(CliError::file(folder));
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut page);
    rendered.map_err(CliError::file(Path::new("manual page")))?;
    print(&page)
}
