//! Changes that would cut off installed copies, or let them skip a release: they need a
//! confirmation, or `--force`.

use std::io::IsTerminal as _;

use clap::Args;
use spindrift_api::ErrorCode;

use crate::error::CliError;
use crate::output::tell;
use crate::refusal::{Refusal, one_line};

/// Whether the user forces the change.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Force {
    /// Make the change even if it cuts off installed copies, or lets them skip an intermediate release.
    /// Without this flag, a terminal asks for the name, and a script gets an error.
    #[arg(long)]
    force: bool,
}

impl Force {
    /// Makes a call; its argument is whether to force the change. If the service requires that,
    /// asks the user to type `name` and repeats the call.
    pub(crate) async fn confirm_or_force<T>(
        self,
        name: &str,
        call: impl AsyncFn(bool) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        match call(self.force).await {
            Err(CliError::Refused(refusal)) if is_cut_off(&refusal) && can_ask() => {
                ask_for_name(&refusal, name)?;
                call(true).await
            }
            done => done,
        }
    }
}

/// The path of a call, with or without `force`.
pub(crate) fn path(path: &str, is_forced: bool) -> String {
    format!("{path}{}", if is_forced { "?force=true" } else { "" })
}

fn is_cut_off(refusal: &Refusal) -> bool {
    refusal.code == Some(ErrorCode::WouldCutOff)
}

fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the user to type the name of the item to change.
fn ask_for_name(refusal: &Refusal, name: &str) -> Result<(), CliError> {
    tell(&format!("{}.\n", one_line(&refusal.text)));
    tell(&format!("Type `{name}` to make the change anyway: "));
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line);
    read.map_err(CliError::file(std::path::Path::new("the terminal")))?;
    if line.trim() == name { Ok(()) } else { Err(CliError::Other("nothing was changed".to_owned())) }
}
