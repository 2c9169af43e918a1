//! Bodies of webhooks: addresses that are told of entries in the audit log.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /webhooks`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhookCreateBody {
    /// The address. Its origin is the setting `webhook_origin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The kinds of entries, such as `rollout.halt`, `health.*`, or `*` for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// Only entries about this application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhookEntry {
    /// Its id.
    pub id: Id,
    /// The address.
    pub url: String,
    /// The kinds of entries.
    pub kinds: Vec<String>,
    /// The application; empty: all of them.
    pub app: String,
    /// The place in the audit log up to which entries were sent.
    pub delivered_seq: u64,
    /// Since when deliveries fail, RFC 3339. `None`: the last one did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<String>,
    /// The last failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<String>,
    /// The time of the next attempt, RFC 3339, while deliveries fail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_try: Option<String>,
    /// When it was switched off after three days of failures, or by its receiver, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub off_at: Option<String>,
    /// RFC 3339.
    pub created_at: String,
    /// Verifies the signatures. Only in the answer to its creation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// Answer of `GET /webhooks`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhooksBody {
    /// The owner's webhooks, oldest first.
    pub webhooks: Vec<WebhookEntry>,
}
