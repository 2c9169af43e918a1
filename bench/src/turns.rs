//! Measuring several targets in turn, so that all see the same machine.

use anyhow::Context as _;
use clap::Args;

use crate::load::{Figures, Target};

/// For how long to measure.
#[derive(Debug, Args)]
pub(crate) struct Turns {
    /// Connections for measuring throughput.
    #[arg(long, default_value_t = 16)]
    pub(crate) connections: usize,
    /// Milliseconds of each throughput measurement. It is short because the speed of a machine changes within seconds.
    #[arg(long, default_value_t = 400)]
    milliseconds: u64,
    /// Requests of each latency measurement, all on one connection.
    #[arg(long, default_value_t = 500)]
    requests: usize,
    /// Number of rounds in which the targets are measured in turn. Medians are printed.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
}

impl Turns {
    /// Prints how it is measured.
    pub(crate) fn announce(&self) {
        println!(
            "{} connections, {} ms a measurement, {} rounds; medians of the rounds, and of the ratios within a round",
            self.connections, self.milliseconds, self.rounds
        );
    }

    /// Measures the targets, prints them, and prints the last one relative to the others. Returns the figures of the last
    /// one.
    pub(crate) fn compare(&self, targets: &[Target]) -> anyhow::Result<Figures> {
        for target in targets {
            target.warm_up(self.connections)?;
        }
        let mut rounds: Vec<Vec<Figures>> = targets.iter().map(|_| Vec::new()).collect();
        for _ in 0..self.rounds {
            for (target, figures) in targets.iter().zip(&mut rounds) {
                figures.push(target.measure(self.connections, self.milliseconds, self.requests)?);
            }
        }
        println!("{:<16} {:>10} {:>16}", "", "req/s", "median latency");
        for (target, figures) in targets.iter().zip(&rounds) {
            let median = Figures::median(figures).context("no rounds")?;
            println!("{:<16} {:>10.0} {:>13.3} ms", target.name, median.per_second, median.latency_ms);
        }
        let (last, others) = rounds.split_last().context("no targets")?;
        for (target, other) in targets.iter().zip(others) {
            let ratios: Vec<_> = last.iter().zip(other).map(|(last, other)| last.to(*other)).collect();
            let ratio = Figures::median(&ratios).context("no rounds")?;
            println!("to {:<13} {:>9.1}% {:>15.2}x", target.name, 100.0 * ratio.per_second, ratio.latency_ms);
        }
        Figures::median(last).context("no rounds")
    }
}
