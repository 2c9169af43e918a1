//! What signed metadata costs: the service, and its clients.

mod reads;

use clap::{Args, ValueEnum};
use spindrift_tests::Driver;

use crate::turns::Turns;

/// What to measure on, and for how long.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The host. `spin` is the program in `SPIN_BIN`, or else in the PATH.
    #[arg(long, value_enum, default_value_t = Host::Embedded)]
    host: Host,
    #[command(flatten)]
    turns: Turns,
}

/// A host that runs the components.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Host {
    /// The embedded host.
    Embedded,
    /// `spin up`.
    Spin,
}

impl Trust {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let host = match self.host {
            Host::Embedded => Driver::Embedded,
            Host::Spin => Driver::Spin,
        };
        reads::report(host, &self.turns)
    }
}
