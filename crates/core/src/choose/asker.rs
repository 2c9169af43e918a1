//! The client that asks.

use crate::{Rollout, Timestamp};

/// The client that asks for an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asker<'a> {
    /// A client that sent no device id: it gets the newest release with its rollout and decides for itself.
    Anonymous,
    /// A client that sent no device id and cannot decide for itself: it gets only what every device may have.
    Outsider,
    /// A device: the rollout is decided for it here.
    Device(&'a str),
}

impl Asker<'_> {
    /// Whether the rollout lets the client have its release at a time.
    pub fn may_have(self, rollout: &Rollout, at: Timestamp) -> bool {
        match self {
            Self::Anonymous => !rollout.is_halted,
            Self::Outsider => rollout.is_full(at),
            Self::Device(id) => rollout.admits(id, at),
        }
    }
}
