//! Ctrl+C during long work: ends the program, and explains how to continue.

use crate::error::CliError;
use crate::output::Output;

/// From now on, Ctrl+C prints this advice and ends the program, even while it waits for input.
pub(crate) fn explain(output: Output, advice: &'static str) {
    drop(tokio::spawn(async move {
        // If Ctrl+C cannot be caught, it ends the program without the advice.
        if tokio::signal::ctrl_c().await.is_ok() {
            let stopped = CliError::Stopped(advice);
            output.error(&stopped);
            std::process::exit(stopped.exit_code().into());
        }
    }));
}
