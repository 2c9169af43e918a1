//! `cargo run --release -p spindrift-bench`: requests of installed copies, next to two components that only answer
//! `hello`, on the same host in the same run. With `trust`: the cost of signed metadata. With `guard`: that
//! of failure reports and of the guard.
//!
//! The plain hello is a new Spin project: the SDK converts the incoming request to a `Request`, and sends the
//! `Response`. The lean hello makes only the necessary calls to the host and has no other imports. It shows the minimum
//! cost of instantiating a component and answering.

mod answers;
mod connection;
mod data;
mod figure;
mod guard;
mod host;
mod load;
mod questions;
mod seed;
mod setup;
mod side;
mod soak;
mod table;
mod target;
mod trust;
mod turns;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures requests of installed copies, next to components that only answer hello.
///
/// A run takes about five minutes for each number of applications on Spin with both builds, and half of that with one build,
/// besides compiling. Run nothing else at the same time: it uses all processors.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    answers: answers::Answers,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Failure reports and the guard.
    Guard(guard::Guard),
    /// Signed metadata.
    Trust(trust::Trust),
}

fn main() -> anyhow::Result<ExitCode> {
    // This program also starts itself as the embedded host, so that the load is made by another process.
    if std::env::args().nth(1).as_deref() == Some("up") {
        return Ok(spindrift_local::main_from_args());
    }
    let arguments = Arguments::parse();
    match arguments.what {
        None => arguments.answers.run()?,
        Some(What::Guard(guard)) => guard.run()?,
        Some(What::Trust(trust)) => trust.run()?,
    }
    Ok(ExitCode::SUCCESS)
}
