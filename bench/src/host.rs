//! The hosts that run the measured components.

use clap::ValueEnum;
use spindrift_tests::{Build, Driver};

/// A host that runs the components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Host {
    /// The program of one machine.
    Native,
    /// `spin up`.
    Spin,
}

impl Host {
    /// The harness's driver for it.
    pub(crate) const fn driver(self) -> Driver {
        match self {
            Self::Native => Driver::InProcess,
            Self::Spin => Driver::Spin,
        }
    }
}

/// A build of the components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildName {
    /// `spin.toml`.
    Preview2,
    /// `deploy/fast/spin.toml`.
    Preview3,
}

impl BuildName {
    /// All builds. Spin runs them; the program of one machine is neither.
    pub(crate) const ALL: [Self; 2] = [Self::Preview2, Self::Preview3];

    /// The harness's name for it.
    pub(crate) const fn build(self) -> Build {
        match self {
            Self::Preview2 => Build::Preview2,
            Self::Preview3 => Build::Preview3,
        }
    }

    /// For tables.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Preview2 => "preview 2",
            Self::Preview3 => "preview 3",
        }
    }
}
