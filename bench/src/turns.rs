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

    /// Measures the targets in turn: the figures of each, round by round.
    fn measure(&self, targets: &[Target]) -> anyhow::Result<Vec<Vec<Figures>>> {
        for target in targets {
            target.warm_up(self.connections)?;
        }
        let mut rounds: Vec<Vec<Figures>> = targets.iter().map(|_| Vec::new()).collect();
        for _ in 0..self.rounds {
            for (target, figures) in targets.iter().zip(&mut rounds) {
                figures.push(target.measure(self.connections, self.milliseconds, self.requests)?);
            }
        }
        Ok(rounds)
    }

    /// Measures the targets, prints them, and prints the last one relative to the others. Returns the figures of the last
    /// one.
    pub(crate) fn compare(&self, targets: &[Target]) -> anyhow::Result<Figures> {
        let rounds = self.measure(targets)?;
        println!("{:<16} {:>10} {:>16}", "", "req/s", "median latency");
        for (target, figures) in targets.iter().zip(&rounds) {
            let median = Figures::median(figures).context("no rounds")?;
            println!("{:<16} {:>10.0} {:>13.3} ms", target.name, median.per_second, median.latency_ms);
        }
        let (last, others) = rounds.split_last().context("no targets")?;
        for (target, other) in targets.iter().zip(others) {
            let ratio = ratio(last, other)?;
            println!("to {:<13} {:>9.1}% {:>15.2}x", target.name, 100.0 * ratio.per_second, ratio.latency_ms);
        }
        Figures::median(last).context("no rounds")
    }

    /// Measures the targets, and prints each of them relative to the first.
    pub(crate) fn relate(&self, targets: &[Target]) -> anyhow::Result<()> {
        let rounds = self.measure(targets)?;
        let first = rounds.first().context("no targets")?;
        println!("{:<24} {:>8} {:>8} {:>12} {:>8}", "", "req/s", "of it", "median", "of it");
        for (target, figures) in targets.iter().zip(&rounds) {
            let (median, ratio) = (Figures::median(figures).context("no rounds")?, ratio(figures, first)?);
            println!(
                "{:<24} {:>8.0} {:>7.0}% {:>9.3} ms {:>7.2}x",
                target.name,
                median.per_second,
                100.0 * ratio.per_second,
                median.latency_ms,
                ratio.latency_ms
            );
        }
        Ok(())
    }
}

/// The median of the ratios within a round.
fn ratio(of: &[Figures], to: &[Figures]) -> anyhow::Result<Figures> {
    let ratios: Vec<_> = of.iter().zip(to).map(|(of, to)| of.to(*to)).collect();
    Figures::median(&ratios).context("no rounds")
}
