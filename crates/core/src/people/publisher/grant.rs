//! Rights in channels.

use serde::{Deserialize, Serialize};

use crate::{Id, TokenRight};

/// The right to some actions, in some channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenGrant {
    /// The rights.
    pub may: Vec<TokenRight>,
    /// Ids of the channels that they apply to. `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Vec<Id>>,
}

impl TokenGrant {
    /// The rights in every channel.
    pub const fn everywhere(may: Vec<TokenRight>) -> Self {
        Self { may, channels: None }
    }

    /// The rights of all these grants, each once, in their own order.
    pub fn rights(grants: &[Self]) -> Vec<TokenRight> {
        let has = |right: &TokenRight| grants.iter().any(|grant| grant.may.contains(right));
        TokenRight::ALL.into_iter().filter(has).collect()
    }
}
