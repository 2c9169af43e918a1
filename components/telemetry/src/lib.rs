//! Counting devices with `GET /telemetry/beacon`, and the figures of devices and applications. The reference
//! is `docs/api/telemetry.md`.

mod adoption;
mod beacon;
mod days;
#[cfg(not(target_family = "wasm"))]
mod describe;
mod figures;
mod overview;
mod request;

use spindrift_service::{Failure, Ports, serve_logged_by};
use spindrift_settings::{LOG_READS, LOG_REQUESTS};
use spindrift_web::{Reply, Request, routes};

const BEACON: &str = "/telemetry/beacon";

routes! {
    async fn answer<P: Ports>(ports: &P, request: &Request) -> Result<Reply, Failure>;

    Beacon: GET BEACON => beacon::beacon(ports, request).await, describe::beacon();
    Figures: GET "/telemetry" => figures::figures(ports, request), describe::figures();
    Adoption: GET "/telemetry/adoption" => adoption::adoption(ports, request), describe::adoption();
    Overview: GET "/telemetry/overview" => overview::overview(ports, request), describe::overview();
}

/// The request header with the device id of a beacon.
const VARY: &str = "X-Device-ID";

/// Answers one request.
pub async fn handle<P: Ports>(ports: P, request: Request) -> Reply {
    // Installed copies send beacons as often as they check for updates.
    let logs = if request.path() == BEACON { &LOG_READS } else { &LOG_REQUESTS };
    serve_logged_by(logs, &ports, &ROUTES, request, async |call, request| {
        answer(&ports, call, &request).await
    })
    .await
    .varying_by(VARY)
}

#[cfg(target_family = "wasm")]
spindrift_spin::entry!(handle);
