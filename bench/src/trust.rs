//! The cost of signed metadata for publishers, the service and its clients. Beside each figure is its target.

mod calls;
mod command_line;
mod large;
mod publish;
mod reads;
mod upkeep;

use clap::{Args, ValueEnum};

use crate::host::Host;
use crate::setup::{Setup, Stores};
use crate::turns::TurnOptions;

/// The machine state to measure on, and the durations.
#[derive(Debug, Args)]
pub(crate) struct TrustCommand {
    /// The parts to measure; by default all.
    #[arg(value_enum)]
    parts: Vec<TrustMeasurement>,
    /// The host. `spin` is the program in `SPIN_BIN`, or else in the PATH.
    #[arg(long, value_enum, default_value_t = Host::Native)]
    host: Host,
    /// How often `publish` is measured.
    #[arg(long, default_value_t = 20)]
    publishes: u32,
    /// Number of repositories that maintenance refreshes.
    #[arg(long, default_value_t = 1000)]
    repositories: usize,
    #[command(flatten)]
    turns: TurnOptions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TrustMeasurement {
    /// The command line. Needs the program `spindrift`, built with the same profile.
    Publish,
    /// Maintenance.
    Upkeep,
    /// 8,000 targets.
    Large,
    /// Clients, the speed of answers, and of update checks.
    Reads,
}

impl TrustCommand {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let host = self.host.driver();
        let parts = if self.parts.is_empty() { TrustMeasurement::value_variants() } else { &self.parts[..] };
        for part in parts {
            match part {
                TrustMeasurement::Publish => publish::report(host, self.publishes)?,
                TrustMeasurement::Upkeep => upkeep::report(host, self.repositories)?,
                TrustMeasurement::Large => large::report(host)?,
                TrustMeasurement::Reads => {
                    reads::report(&Setup::new(self.host, Stores::Local)?, &self.turns)?;
                }
            }
        }
        Ok(())
    }
}
