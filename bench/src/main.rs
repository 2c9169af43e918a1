//! `cargo run --release -p spindrift-bench`: throughput and latency of `/checkVersion` next to a component that only
//! says hello, on the same host in the same run.

mod load;
mod seed;

use std::path::Path;
use std::time::Instant;

use anyhow::Context as _;
use clap::Parser;
use spindrift_host::{Host, HostOptions, Manifest, Program};

use crate::load::{Figures, Target};

/// What is measured, and for how long.
#[derive(Debug, Parser)]
struct Arguments {
    /// Applications in the smaller data set.
    #[arg(long, default_value_t = 1_000)]
    apps: u32,
    /// Releases of each application.
    #[arg(long, default_value_t = 20)]
    releases: u32,
    /// How many times larger the second data set is; 1 leaves it out.
    #[arg(long, default_value_t = 10)]
    factor: u32,
    /// Connections of the throughput measurement.
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Seconds of each throughput measurement.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Requests of each latency measurement, on one connection.
    #[arg(long, default_value_t = 2_000)]
    requests: usize,
    /// How often hello and check are measured in turn; medians are printed.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!(
        "{} connections, {} s a measurement, {} rounds; medians of the rounds",
        arguments.connections, arguments.seconds, arguments.rounds
    );
    let hello = start(&runtime, Path::new("tests/hello/spin.toml"), &folder.path().join("hello"))?;
    for factor in [1, arguments.factor] {
        let apps = arguments.apps * factor;
        let state = folder.path().join(format!("apps-{apps}"));
        seed::seed(&state, apps, arguments.releases)?;
        let service = start(&runtime, Path::new("spin.toml"), &state)?;
        println!("\n{apps} applications with {} releases each", arguments.releases);
        let targets = [
            Target::new("hello", hello.url(), |_| "/hello".to_owned())?,
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

/// Builds and starts the application of a manifest.
fn start(runtime: &tokio::runtime::Runtime, manifest: &Path, state: &Path) -> anyhow::Result<Host> {
    spindrift_host::build(&Manifest::read(manifest)?)?;
    let program = Program::load(manifest, Path::new("target/spindrift-cache"))?;
    let options = HostOptions { state_dir: state.to_owned(), ..HostOptions::default() };
    Ok(runtime.block_on(Host::start(&program, options))?)
}

/// Seconds for which a scope record answers without the database. It is then derived again.
const RECORD_MAX_AGE_SECONDS: f64 = 60.0;

/// Measures the targets in turn, so that both see the same machine, and prints the second as a ratio to the first.
fn report(arguments: &Arguments, targets: &[Target; 2], apps: u32) -> anyhow::Result<()> {
    let [_, check] = targets;
    let start = Instant::now();
    let touched = check.touch(arguments.connections, apps)?.as_secs_f64();
    println!(
        "first checks: {:.0} req/s, each deriving a record from the database; it is good for {RECORD_MAX_AGE_SECONDS} s",
        f64::from(apps) / touched
    );
    for target in targets {
        target.warm_up(arguments.connections)?;
    }
    let mut rounds: [Vec<Figures>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..arguments.rounds {
        for (target, figures) in targets.iter().zip(&mut rounds) {
            figures.push(target.measure(arguments.connections, arguments.seconds, arguments.requests)?);
        }
    }
    println!("{:<14} {:>10} {:>16}", "", "req/s", "median latency");
    let [hello, check] = rounds.map(|figures| Figures::median(&figures));
    let (hello, check) = (hello.context("no rounds")?, check.context("no rounds")?);
    for (target, figures) in targets.iter().zip([&hello, &check]) {
        println!("{:<14} {:>10.0} {:>13.3} ms", target.name, figures.per_second, figures.latency_ms);
    }
    println!(
        "ratio          {:>9.1}% {:>15.2}x",
        100.0 * check.per_second / hello.per_second,
        check.latency_ms / hello.latency_ms
    );
    let again = start.elapsed().as_secs_f64() > RECORD_MAX_AGE_SECONDS;
    println!(
        "in these figures records were {}; under this load all the time, 1 of {:.0} checks derives one",
        if again { "derived again once they were too old" } else { "read, not derived" },
        (check.per_second * RECORD_MAX_AGE_SECONDS / f64::from(apps)).max(1.0)
    );
    Ok(())
}
