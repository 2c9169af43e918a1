//! Bodies that calls about different things have in common.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Body of a deletion that does not have the identifier in its query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdBody {
    /// What to delete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Answer of a change that has nothing to tell but that it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageBody {
    /// For people.
    pub message: Cow<'static, str>,
}
