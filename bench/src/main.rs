//! `cargo run --release -p spindrift-bench`: requests of installed copies, next to a server that only answers
//! `hello`, in the same run. With `trust`: the cost of signed metadata. With `guard`: that
//! of failure reports and of the guard.
//!
//! For the program of one machine, the lean hello is hyper with a thread for each processor. On Spin it is a
//! component: it makes only the necessary calls to the host and has no other imports, which shows the minimum
//! cost of instantiating a component and answering. The plain hello is a new Spin project: the SDK converts
//! the incoming request to a `Request`, and sends the `Response`.

mod answers;
mod connection;
mod data;
mod figure;
mod guard;
mod hello;
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

// As in the program that users run: this one starts itself as the server to be measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures requests of installed copies, next to components that only answer hello.
///
/// A run takes about five minutes for each number of applications on Spin with both builds, and half of that
/// with one build, besides compiling. Run nothing else at the same time: it uses all processors.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<BenchCommand>,
    #[command(flatten)]
    answers: answers::AnswersCommand,
}

#[derive(Debug, Subcommand)]
enum BenchCommand {
    /// Failure reports and the guard.
    Guard(guard::Guard),
    /// Signed metadata.
    Trust(trust::TrustCommand),
    /// Serve hello with hyper and nothing else, as the load of another process needs it.
    #[command(hide = true)]
    Hello,
    // The program of one machine, so that the load is made by another process.
    #[command(flatten)]
    Program(spindrift_local::Command),
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    match arguments.command {
        None => arguments.answers.run()?,
        Some(BenchCommand::Guard(guard)) => guard.run()?,
        Some(BenchCommand::Trust(trust)) => trust.run()?,
        Some(BenchCommand::Hello) => hello::serve()?,
        Some(BenchCommand::Program(command)) => return Ok(spindrift_local::run(command)),
    }
    Ok(ExitCode::SUCCESS)
}
