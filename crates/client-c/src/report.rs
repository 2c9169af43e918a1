//! Reports of failures.

use std::mem::MaybeUninit;

use serde_json::{Map, Value};
use spindrift_client::{EventType, Reason, Report};

use crate::client::ClientHandle;
use crate::error::{ErrorHandle, answer, given};
use crate::raw::CallerText;
use crate::status::{CallFailure, Status};

/// Reports a failure at once. It needs the report key and the device id of the configuration. With a kit, use
/// `spindrift_kit_report`, which keeps the failure until it can be sent.
///
/// - `event`: `crash`, `startup_failure`, `update_failure`, `install_failure` or `rollback_failure`.
/// - `reason`: a short identifier of the cause, such as `digest.mismatch`. Letters, digits, `.`, `_` and `-`.
/// - `details`: a JSON object of at most 1 MiB that helps to find the cause, or NULL.
#[unsafe(no_mangle)]
pub extern "C" fn spindrift_report(
    client: Option<&ClientHandle>,
    event: CallerText<'_>,
    reason: CallerText<'_>,
    details: CallerText<'_>,
    error: Option<&mut MaybeUninit<Option<Box<ErrorHandle>>>>,
) -> Status {
    answer(error, || {
        let client = given(client, "client")?;
        let noticed = Noticed::read(event, reason, details)?;
        let key = client.report_key.as_ref().ok_or_else(|| CallFailure::null("report_key"))?;
        let app = &client.options;
        let report = Report {
            app_name: app.app_name.clone(),
            version: app.version.clone(),
            channel: app.channel.clone(),
            platform: app.platform.clone(),
            arch: app.arch.clone(),
            event: noticed.event,
            reason: noticed.reason,
            device_id: app.device_id.clone().unwrap_or_default(),
            details: noticed.details,
        };
        client.wait(client.client.report_event(key, &report))?;
        Ok(())
    })
}

/// A failure that the application has noticed.
pub(crate) struct Noticed {
    pub(crate) event: EventType,
    pub(crate) reason: Reason,
    pub(crate) details: Option<Map<String, Value>>,
}

impl Noticed {
    pub(crate) fn read(
        event: CallerText<'_>,
        reason: CallerText<'_>,
        details: CallerText<'_>,
    ) -> Result<Self, CallFailure> {
        let event = event.required("event")?.parse().map_err(|_| CallFailure::invalid("invalid event"))?;
        let reason =
            reason.required("reason")?.parse().map_err(|_| CallFailure::invalid("invalid reason"))?;
        let details = details.optional("details")?.map(serde_json::from_str).transpose();
        let details = details
            .map_err(|error| CallFailure::invalid(format!("details is not a JSON object: {error}")))?;
        Ok(Self { event, reason, details })
    }
}
