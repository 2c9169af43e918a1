//! The rights of CI tokens.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{Action, InvalidValue};

/// An action that a CI token may perform on its applications.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenRight {
    /// Upload releases, and send lists of their files that the publisher has signed.
    Upload,
    /// Publish a draft, now or at a time, and cancel a schedule.
    Publish,
    /// Every change after which no client is offered more than before: pause, halt, a lower
    /// percentage, unpublishing, withdrawing, shutting off.
    Stop,
    /// Every change of how a release is offered, including the two rights above. Excludes
    /// restoring, and lifting a shut-off.
    Roll,
    /// Let the service check the health of releases, and act on their guards.
    Guard,
}

/// The text is not a right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", TokenRight::LIST)]
pub struct InvalidRight;

impl TokenRight {
    /// The rule for a list of rights.
    pub const LIST: &str = "a list of upload, publish, stop, roll and guard";

    /// All rights.
    pub const ALL: [Self; 5] = [Self::Upload, Self::Publish, Self::Stop, Self::Roll, Self::Guard];

    /// Rights by name, in their own order and each once. Without names: only uploads.
    pub fn parse_list(names: Option<Vec<String>>) -> Result<Vec<Self>, InvalidValue> {
        let Some(names) = names else { return Ok(vec![Self::Upload]) };
        let named: Option<Vec<Self>> = names.iter().map(|name| name.parse().ok()).collect();
        let named = named.filter(|named| !named.is_empty());
        let named = named.ok_or_else(|| InvalidValue::of_json("may", Self::LIST, &names.into()))?;
        Ok(Self::ALL.into_iter().filter(|right| named.contains(right)).collect())
    }

    /// The action that a person must be allowed in order to grant the right.
    pub const fn action(self) -> Action {
        match self {
            Self::Upload => Action::Upload,
            Self::Publish => Action::Publish,
            Self::Stop => Action::Stop,
            Self::Roll => Action::Roll,
            Self::Guard => Action::Guard,
        }
    }

    /// The text form in requests, answers and the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Upload => "upload",
            Self::Publish => "publish",
            Self::Stop => "stop",
            Self::Roll => "roll",
            Self::Guard => "guard",
        }
    }
}

impl FromStr for TokenRight {
    type Err = InvalidRight;

    fn from_str(text: &str) -> Result<Self, InvalidRight> {
        Self::ALL.into_iter().find(|right| right.as_str() == text).ok_or(InvalidRight)
    }
}

impl fmt::Display for TokenRight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
