//! Counting devices with `GET /telemetry/beacon`, and the figures of devices and applications. The reference is `docs/api/telemetry.md`.

mod adoption;
mod beacon;
mod days;
#[cfg(feature = "describe")]
mod describe;
mod figures;
mod overview;
mod request;

use http::Method;
use spindrift_service::{Ports, serve_logged_by};
use spindrift_settings::{LOG_READS, LOG_REQUESTS};
use spindrift_web::{Reply, Request, Routes};

#[cfg(feature = "describe")]
pub use describe::describe;

/// The endpoints of this component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TelemetryCall {
    /// Counts a device.
    Beacon,
    /// Returns the figures.
    Figures,
    /// Tells how versions spread.
    Adoption,
    /// Shows the applications with their figures.
    Overview,
}

const BEACON: &str = "/telemetry/beacon";

/// The routes of this component.
pub const ROUTES: Routes<TelemetryCall> = Routes(&[
    (Method::GET, BEACON, TelemetryCall::Beacon),
    (Method::GET, "/telemetry", TelemetryCall::Figures),
    (Method::GET, "/telemetry/adoption", TelemetryCall::Adoption),
    (Method::GET, "/telemetry/overview", TelemetryCall::Overview),
]);

/// The request header with the device id of a beacon.
const VARY: &str = "X-Device-ID";

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    // Installed copies send beacons as often as they check for updates.
    let logs = if request.path() == BEACON { &LOG_READS } else { &LOG_REQUESTS };
    serve_logged_by(logs, &ports, &ROUTES, request, async |route, request| match route {
        TelemetryCall::Beacon => beacon::beacon(&ports, &request).await,
        TelemetryCall::Figures => figures::figures(&ports, &request).map(Reply::from),
        TelemetryCall::Adoption => adoption::adoption(&ports, &request).map(Reply::from),
        TelemetryCall::Overview => overview::overview(&ports, &request).map(Reply::from),
    })
    .await
    .varying_by(VARY)
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
