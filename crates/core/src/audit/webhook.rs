//! Webhooks: which audit log entries are sent to an address, and when to retry after a failure.

mod chat_text;
mod halt_link;
mod kinds;
mod name;
mod origin;
mod retry;

pub use chat_text::chat_text;
pub use halt_link::{HALT_LINK_SECONDS, HaltLink, HaltLinkEnded};
pub use kinds::{InvalidWebhookKinds, MAX_WEBHOOK_KINDS, WebhookKinds};
pub use name::{InvalidWebhookName, MAX_WEBHOOK_NAME_CHARS, default_webhook_name, webhook_name};
pub use origin::{InvalidWebhookOrigin, MAX_WEBHOOK_ORIGINS, WebhookOrigin, WebhookOrigins};
pub use retry::{Retry, WEBHOOK_GIVES_UP_AFTER, after_failure};

/// Maximum number of webhooks of an owner.
pub const MAX_WEBHOOKS: u64 = 10;
