//! The answer of `GET /health`.

use serde::Serialize;

/// Body of a health check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HealthBody {
    /// `healthy` or `unhealthy`.
    pub status: &'static str,
    /// Which store failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<&'static str>,
}
