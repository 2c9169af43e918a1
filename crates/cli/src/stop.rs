//! Ctrl+C during long work: ends the program with a text that says how to continue.

use crate::error::CliError;
use crate::output::Output;

/// From now on Ctrl+C ends the program with this advice. Also works while the program waits for input.
pub(crate) fn explain(output: Output, advice: &'static str) {
    drop(tokio::spawn(async move {
        // Where Ctrl+C cannot be caught, it ends the program without a text.
        if tokio::signal::ctrl_c().await.is_ok() {
            let stopped = CliError::Stopped(advice);
            output.error(&stopped);
            std::process::exit(stopped.exit_code().into());
        }
    }));
}
