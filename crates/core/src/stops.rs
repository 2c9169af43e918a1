//! Stops that clients are told of: withdrawn versions, and applications whose updates are shut off.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, Version};

/// Longest public reason of a withdrawal or a shut-off, in characters.
pub const MAX_PUBLIC_REASON_CHARS: usize = 200;
/// A scope tells of so many withdrawn versions, the ones withdrawn last.
pub const MAX_WITHDRAWN: usize = 20;
/// The one who made the shut-offs with which a restored service begins. No user has this name.
pub const RESTORED_BY: &str = "spindrift restore";
/// Most shut-offs of an application.
pub const MAX_SHUTOFFS: u64 = 50;

/// The recall of a release from all clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// When.
    pub at: Timestamp,
    /// Why, for the clients that run the version: 1 to [`MAX_PUBLIC_REASON_CHARS`] characters.
    pub reason: String,
}

/// The stops of a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stops {
    /// Whether nobody is offered anything newer than what it has. Then every release of the record is halted
    /// too.
    pub shut_off: bool,
    /// The versions that were withdrawn last, at most [`MAX_WITHDRAWN`].
    pub withdrawn: Vec<WithdrawnVersion>,
}

/// A version that its publisher has withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawnVersion {
    /// The version.
    pub version: Version,
    /// Why.
    pub reason: String,
}

impl Stops {
    /// Why the client's version was withdrawn, if it was.
    pub fn withdrawal_of(&self, client: &Version) -> Option<&str> {
        let withdrawn = self.withdrawn.iter().find(|withdrawn| withdrawn.version == *client);
        withdrawn.map(|withdrawn| withdrawn.reason.as_str())
    }
}
