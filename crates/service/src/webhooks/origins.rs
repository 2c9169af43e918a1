//! Where webhooks may go.

use spindrift_core::webhook::{InvalidWebhookOrigin, MAX_WEBHOOK_ORIGINS, WebhookOrigin, WebhookOrigins};
use spindrift_settings::{Setting, WEBHOOK_ORIGIN, WEBHOOK_ORIGIN2, WEBHOOK_ORIGIN3, WEBHOOK_ORIGIN4};

use crate::{Ports, ServiceError};

/// The origins that webhooks may have. Without any, webhooks are off.
pub fn origins(ports: &impl Ports) -> Result<WebhookOrigins, ServiceError> {
    let settings: [_; MAX_WEBHOOK_ORIGINS] =
        [&WEBHOOK_ORIGIN, &WEBHOOK_ORIGIN2, &WEBHOOK_ORIGIN3, &WEBHOOK_ORIGIN4];
    let read = |setting: &Setting<String>| {
        let origin: Result<WebhookOrigin, InvalidWebhookOrigin> = setting.read(ports)?.parse();
        origin.map_err(|error| setting.unusable(error.to_string()).into())
    };
    settings.into_iter().map(read).collect()
}
