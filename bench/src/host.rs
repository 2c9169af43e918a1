//! What runs the components that are measured.

use clap::ValueEnum;
use spindrift_tests::Driver;

/// A host that runs the components.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Host {
    /// The embedded host.
    Embedded,
    /// `spin up`.
    Spin,
}

impl Host {
    /// How the harness starts it.
    pub(crate) const fn driver(self) -> Driver {
        match self {
            Self::Embedded => Driver::Embedded,
            Self::Spin => Driver::Spin,
        }
    }
}
