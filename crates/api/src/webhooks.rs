//! Bodies of webhooks: addresses that are told of entries in the audit log.

use serde::{Deserialize, Serialize};
use spindrift_core::Id;

/// Body of `POST /webhooks`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhookCreateBody {
    /// The address. Its origin is one of those in the settings `webhook_origin` to `webhook_origin4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// A name for people, up to 64 characters. Without one it is the host in the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The kinds of entries, such as `rollout.halt`, `health.*`, or `*` for all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
    /// Only entries about this application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Whether messages about a release that can be halted carry a link that halts it without a login. `None`: no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt_links: Option<bool>,
}

/// Body of `POST /webhooks/{id}`. Fields that are left out keep their values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhookUpdateBody {
    /// A name for people, up to 64 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether messages carry halt links. Turning them off revokes the links of earlier messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halt_links: Option<bool>,
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WebhookEntry {
    /// Its id.
    pub id: Id,
    /// Its name, for people.
    pub name: String,
    /// The address.
    pub url: String,
    /// The kinds of entries.
    pub kinds: Vec<String>,
    /// The application; empty: all of them.
    pub app: String,
    /// Whether messages about a release that can be halted carry a link that halts it without a login.
    pub halt_links: bool,
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
    /// The origins that webhooks may have, from the service's settings.
    pub origins: Vec<String>,
}

/// Answer of `/releases/halt-link`: the release that the link halts, or has halted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HaltLinkBody {
    /// The id of the release.
    pub id: Id,
    /// The name of its application.
    pub app: String,
    /// The version.
    pub version: String,
    /// The channel; empty if the owner uses none.
    pub channel: String,
    /// The state of the rollout: `fixed`, `running`, `paused`, `halted` or `complete`.
    pub state: String,
    /// The first moment at which the link is not valid any more, RFC 3339.
    pub expires_at: String,
}
