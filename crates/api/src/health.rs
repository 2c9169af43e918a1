//! The answer of `GET /health`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// Body of a health check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HealthBody {
    /// `healthy` or `unhealthy`.
    pub status: Cow<'static, str>,
    /// The store that failed, or the setting that cannot be used and its rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Cow<'static, str>>,
}
