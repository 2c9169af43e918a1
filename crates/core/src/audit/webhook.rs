//! Webhooks: which audit log entries are sent to an address, and when to retry after a failure.

mod chat_text;
mod kinds;
mod origin;
mod retry;

pub use chat_text::chat_text;
pub use kinds::{InvalidWebhookKinds, MAX_WEBHOOK_KINDS, WebhookKinds};
pub use origin::{InvalidWebhookOrigin, WebhookOrigin};
pub use retry::{Retry, WEBHOOK_GIVES_UP_AFTER, after_failure};

/// Maximum number of webhooks of an owner.
pub const MAX_WEBHOOKS: u64 = 10;
