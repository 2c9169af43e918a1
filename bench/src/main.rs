//! `cargo run --release -p spindrift-bench`: compares throughput and latency of `/checkVersion` with two components
//! that only answer `hello`, on the same host in the same run.
//!
//! The plain hello is a new Spin project: the SDK converts the incoming request to a `Request`, and sends the
//! `Response`. The lean hello makes only the necessary calls to the host and has no other imports. It shows the minimum
//! cost of instantiating a component and answering.

mod load;
mod seed;

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use clap::Parser;
use embedded_host::{Manifest, Program, build};
use spindrift_host::{Local, LocalOptions};

use crate::load::{Figures, Target};

/// What to measure, and for how long.
#[derive(Debug, Parser)]
struct Arguments {
    /// Applications in the smaller data set.
    #[arg(long, default_value_t = 1_000)]
    apps: u32,
    /// Releases of each application.
    #[arg(long, default_value_t = 20)]
    releases: u32,
    /// Factor between the second data set and the first; 1 omits the second.
    #[arg(long, default_value_t = 10)]
    factor: u32,
    /// Connections for measuring throughput.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Milliseconds of each throughput measurement. It is short because the speed of a machine changes within seconds.
    #[arg(long, default_value_t = 400)]
    milliseconds: u64,
    /// Requests of each latency measurement, all on one connection.
    #[arg(long, default_value_t = 500)]
    requests: usize,
    /// Number of rounds in which hellos and check are measured in turn. Medians are printed.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!(
        "{} connections, {} ms a measurement, {} rounds; medians of the rounds, and of the ratios within a round",
        arguments.connections, arguments.milliseconds, arguments.rounds
    );
    let hello = start(&runtime, Path::new("tests/hello/spin.toml"), &folder.path().join("hello"))?;
    for factor in [1, arguments.factor] {
        let apps = arguments.apps * factor;
        let state = folder.path().join(format!("apps-{apps}"));
        seed::seed(&state, apps, arguments.releases)?;
        let service = start(&runtime, Path::new("spin.toml"), &state)?;
        println!("\n{apps} applications with {} releases each", arguments.releases);
        let targets = [
            Target::new("plain hello", hello.url(), |_| "/plain-hello".to_owned())?,
            Target::new("lean hello", hello.url(), |_| "/hello".to_owned())?,
            Target::new("checkVersion", service.url(), move |n| seed::check_path(n % apps))?,
        ];
        report(&arguments, &targets, apps)?;
        runtime.block_on(service.stop());
        if arguments.factor <= 1 {
            break;
        }
    }
    runtime.block_on(hello.stop());
    Ok(())
}

/// Builds and starts the application in a manifest.
fn start(runtime: &tokio::runtime::Runtime, manifest: &Path, state: &Path) -> anyhow::Result<Local> {
    build(&Manifest::read(manifest)?)?;
    let program = Program::load(manifest, Path::new("target/spindrift-cache"))?;
    Ok(runtime.block_on(Local::start(&program, LocalOptions::new(state)))?)
}

/// How long a scope record is used without the database, in seconds. After that, it is compared with the database.
const RECORD_MAX_AGE_SECONDS: f64 = 60.0;

/// Measures the targets in turn, so that all see the same machine, and prints the last one relative to the others.
fn report(arguments: &Arguments, targets: &[Target; 3], apps: u32) -> anyhow::Result<()> {
    let [_, _, check] = targets;
    let start = Instant::now();
    let touched = check.touch(arguments.connections, apps)?.as_secs_f64();
    println!(
        "first checks: {:.0} req/s, each deriving a record from the database; it is good for {RECORD_MAX_AGE_SECONDS} s",
        f64::from(apps) / touched
    );
    for target in targets {
        target.warm_up(arguments.connections)?;
    }
    let mut rounds: [Vec<Figures>; 3] = [const { Vec::new() }; 3];
    for _ in 0..arguments.rounds {
        for (target, figures) in targets.iter().zip(&mut rounds) {
            figures.push(target.measure(
                arguments.connections,
                arguments.milliseconds,
                arguments.requests,
            )?);
        }
    }
    println!("{:<14} {:>10} {:>16}", "", "req/s", "median latency");
    for (target, figures) in targets.iter().zip(&rounds) {
        let median = Figures::median(figures).context("no rounds")?;
        println!("{:<14} {:>10.0} {:>13.3} ms", target.name, median.per_second, median.latency_ms);
    }
    let [hellos @ .., checks] = &rounds;
    for (target, hello) in targets.iter().zip(hellos) {
        let ratios: Vec<_> = checks.iter().zip(hello).map(|(check, hello)| check.to(*hello)).collect();
        let ratio = Figures::median(&ratios).context("no rounds")?;
        println!("to {:<11} {:>9.1}% {:>15.2}x", target.name, 100.0 * ratio.per_second, ratio.latency_ms);
    }
    let check = Figures::median(checks).context("no rounds")?;
    let again = start.elapsed().as_secs_f64() > RECORD_MAX_AGE_SECONDS;
    println!(
        "in these figures records were {}; under this load all the time, 1 of {:.0} checks renews one",
        if again { "renewed once they were too old" } else { "read, not renewed" },
        (check.per_second * RECORD_MAX_AGE_SECONDS / f64::from(apps)).max(1.0)
    );
    Ok(())
}
