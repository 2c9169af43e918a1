//! Bodies shared by calls about different items.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Body of a deletion, for callers that do not send the id in the query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdBody {
    /// Id of the item to delete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// Answer to a successful change that has no result to return.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MessageBody {
    /// Text for people.
    pub message: Cow<'static, str>,
}
