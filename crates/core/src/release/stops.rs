//! Stops that clients see: withdrawn versions, and applications whose updates are shut off.

use serde::{Deserialize, Serialize};

use crate::{Timestamp, Version};

/// Maximum length of the public reason of a withdrawal or a shut-off, in characters.
pub const MAX_PUBLIC_REASON_CHARS: usize = 200;
/// Maximum number of withdrawn versions in a scope: the latest ones.
pub const MAX_WITHDRAWN: usize = 20;
/// The author of the shut-offs with which a restored service begins. No user has this name.
pub const RESTORED_BY: &str = "spindrift restore";
/// Maximum number of shut-offs of an application.
pub const MAX_SHUTOFFS: u64 = 50;

/// The recall of a release from all clients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdrawal {
    /// When it was withdrawn.
    pub at: Timestamp,
    /// The reason, for the clients that run the version: 1 to [`MAX_PUBLIC_REASON_CHARS`]
    /// characters.
    pub reason: String,
}

/// The stops of a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stops {
    /// Whether no client is offered anything newer than it has. Then every release of the record is
    /// halted too.
    pub shut_off: bool,
    /// The versions that were withdrawn last, at most [`MAX_WITHDRAWN`].
    pub withdrawn: Vec<WithdrawnVersion>,
}

/// A version that its publisher has withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WithdrawnVersion {
    /// The version.
    pub version: Version,
    /// The reason.
    pub reason: String,
}

impl Stops {
    /// Why the client's version was withdrawn, if it was.
    pub fn withdrawal_of(&self, client: &Version) -> Option<&str> {
        let withdrawn = self.withdrawn.iter().find(|withdrawn| withdrawn.version == *client);
        withdrawn.map(|withdrawn| withdrawn.reason.as_str())
    }
}
