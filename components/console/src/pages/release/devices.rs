//! The devices of an application.

use spindrift_api::TelemetryBody;
use spindrift_service::Ports;

use crate::address::Address;
use crate::context::Context;
use crate::error::ConsoleError;

/// What is known of the devices of an application, over 30 days.
pub(super) struct Devices {
    pub(super) all: u64,
    pub(super) on_this: u64,
    /// The versions of all releases, highest first.
    versions: Vec<String>,
}

impl Devices {
    pub(super) async fn of<P: Ports>(
        context: &Context<'_, P>,
        app: &str,
        version: &str,
    ) -> Result<Self, ConsoleError> {
        let call = Address::call("/telemetry").with("apps", app).with("range", "month");
        let body: TelemetryBody = context.service.get(&call).await?;
        let on_this = body.versions.usage.iter().find(|row| row.version == version);
        Ok(Self {
            all: body.summary.unique_clients,
            on_this: on_this.map_or(0, |row| row.client_count),
            versions: body.versions.known_versions,
        })
    }

    /// The version before this one.
    pub(super) fn before(&self, version: &str) -> Option<&str> {
        let mut below = self.versions.iter().skip_while(|other| *other != version);
        below.nth(1).map(String::as_str)
    }
}
