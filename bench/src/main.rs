//! `cargo run --release -p spindrift-bench`: compares throughput and latency of `/checkVersion` with two components
//! that only answer `hello`, on the same host in the same run. With `answers`: all that installed copies ask,
//! also on Spin. With `trust`: what signed metadata costs.
//!
//! The plain hello is a new Spin project: the SDK converts the incoming request to a `Request`, and sends the
//! `Response`. The lean hello makes only the necessary calls to the host and has no other imports. It shows the minimum
//! cost of instantiating a component and answering.

mod answers;
mod checks;
mod host;
mod load;
mod seed;
mod trust;
mod turns;

use clap::{Parser, Subcommand};

/// What to measure. Without a command: update checks.
#[derive(Debug, Parser)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    checks: checks::Checks,
}

#[derive(Debug, Subcommand)]
enum What {
    /// What installed copies ask: checks, beacons, newest builds.
    Answers(answers::Answers),
    /// Signed metadata.
    Trust(trust::Trust),
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    match arguments.what {
        None => arguments.checks.run(),
        Some(What::Answers(answers)) => answers.run(),
        Some(What::Trust(trust)) => trust.run(),
    }
}
