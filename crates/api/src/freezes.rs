//! Bodies of freezes: until one ends, steps of rollouts and scheduled publications wait.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /freezes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FreezeCreateBody {
    /// Name of the application. Without it, all of the owner's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// When it begins, RFC 3339. Without it, or in the past: now. At most 366 days ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// When it ends, RFC 3339. At most 90 days after it begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why: 1 to 200 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A freeze.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FreezeEntry {
    /// Its id.
    pub id: Id,
    /// Name of the application; empty: all of the owner's.
    pub app: String,
    /// When it begins, RFC 3339.
    pub from: String,
    /// When it ends, RFC 3339.
    pub to: String,
    /// Why.
    pub reason: String,
    /// Name of the user or token.
    pub created_by: String,
    /// RFC 3339.
    pub created_at: String,
}

/// Answer of `GET /freezes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FreezesBody {
    /// The freezes that are not over, in the order in which they begin.
    pub freezes: Vec<FreezeEntry>,
}
