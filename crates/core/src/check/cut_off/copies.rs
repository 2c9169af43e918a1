//! Installed copies, by the names that they send.

use std::collections::BTreeSet;

use crate::{Id, Updater};

/// Installed copies that send the same names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledCopies {
    /// Their application.
    pub app: Id,
    /// The names of channel, platform and architecture that they send. Empty: none. Devices that
    /// send `default` are counted as if they sent none.
    pub names: [String; 3],
    /// The updater that they are known to use. `None` for counted devices.
    pub updater: Option<Updater>,
    /// Number of devices.
    pub devices: u64,
}

/// Within how many days, including today, a device must have been seen to count.
pub const SEEN_DAYS: i64 = 30;

/// The installed copies that are known to exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownCopies<'a> {
    /// The devices that were counted in the last [`SEEN_DAYS`].
    Counted(&'a [InstalledCopies]),
    /// Devices are not counted. Every published release may have copies.
    Uncounted,
}

impl InstalledCopies {
    /// Whether they may use this updater. `served`: the updaters of the uploads that they are
    /// offered.
    ///
    /// Devices are sometimes counted where no updater sends a device id. They use code of their
    /// own, which counts as `manual`.
    pub(super) fn may_use(&self, updater: Updater, served: &BTreeSet<Updater>) -> bool {
        match self.updater {
            Some(own) => own == updater,
            None if served.contains(&updater) => true,
            None => updater == Updater::Manual && !served.iter().any(|served| served.sends_device()),
        }
    }
}
