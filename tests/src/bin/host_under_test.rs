//! The program of one machine, for tests that kill or measure it.

use clap::Parser;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: spindrift_local::Command,
}

fn main() -> std::process::ExitCode {
    spindrift_local::run(Arguments::parse().command)
}
