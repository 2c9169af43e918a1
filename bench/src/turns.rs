//! Measuring several targets in turn, so that all see the same machine.

use std::time::Duration;

use clap::Args;

use crate::load::{Load, Sample};
use crate::table::{Row, Table};
use crate::target::Target;

/// Load on each target before anything is measured.
const WARM_UP: Duration = Duration::from_millis(500);

/// For how long to measure.
#[derive(Debug, Clone, Args)]
pub(crate) struct TurnOptions {
    /// Numbers of connections to measure with. On each, one request follows another.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64])]
    connections: Vec<usize>,
    /// Milliseconds of each measurement. It is short because the speed of a machine changes within seconds.
    #[arg(long, default_value_t = 200)]
    milliseconds: u64,
    /// Number of rounds in which the targets are measured in turn.
    #[arg(long, default_value_t = 20)]
    rounds: usize,
    /// Print tables in Markdown.
    #[arg(long)]
    markdown: bool,
}

impl TurnOptions {
    /// Prints how it is measured.
    pub(crate) fn announce(&self) {
        println!(
            "{} rounds of {} ms for each row; throughput, median and ratios are medians of the rounds, p99 \
             is that of all answers",
            self.rounds, self.milliseconds
        );
    }

    /// Measures the targets, and prints each of them relative to the first. Calls `prepare` before each
    /// measurement.
    pub(crate) fn compare(&self, targets: &[Target], mut prepare: impl FnMut()) -> anyhow::Result<()> {
        for target in targets {
            let connections = self.connections.iter().copied().max().unwrap_or(1);
            prepare();
            Load { connections, duration: WARM_UP }.measure(target)?;
        }
        let mut samples: Vec<Vec<Vec<Sample>>> =
            self.connections.iter().map(|_| targets.iter().map(|_| Vec::new()).collect()).collect();
        let duration = Duration::from_millis(self.milliseconds);
        for round in 0..self.rounds {
            for (connections, samples) in self.connections.iter().zip(&mut samples) {
                let load = Load { connections: *connections, duration };
                let mut order: Vec<_> = targets.iter().zip(samples).collect();
                if round % 2 == 1 {
                    // So that no target always comes after the same one.
                    order.reverse();
                }
                for (target, samples) in order {
                    prepare();
                    samples.push(load.measure(target)?);
                }
            }
        }
        let first = targets.first().map(|target| target.name.as_str()).unwrap_or_default();
        println!("\n\"of it\" is relative to: {first}");
        for (connections, samples) in self.connections.iter().zip(&samples) {
            let first = samples.first().map(Vec::as_slice).unwrap_or_default();
            let rows =
                targets.iter().zip(samples).map(|(target, samples)| Row::of(&target.name, samples, first));
            Table { connections: *connections, rows: rows.collect::<anyhow::Result<_>>()? }
                .print(self.markdown);
        }
        Ok(())
    }
}
