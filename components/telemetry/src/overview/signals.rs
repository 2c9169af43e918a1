//! Signals that the installed copies of an application do not send.

use spindrift_core::App;
use spindrift_core::health::{ASKED_SECONDS, CopySignals, ReportSignal};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, last_asked, log, telemetry};
use spindrift_web::KeyValueError;

use super::figures::Figures;

/// Shown if it is not known whether anything is missing.
const UNKNOWN: &str =
    "It is not known whether copies check for updates, because the key-value store does not answer.";

/// A sentence for people. `None`: nothing is missing.
pub(super) fn missing(
    session: &Session<'_, impl Ports>,
    app: &App,
    figures: &Figures,
) -> Result<Option<String>, Failure> {
    let seen = figures.seen.get(&app.id);
    let has_devices = figures.devices.get(&app.id).is_some_and(|count| count.devices > 0);
    let has_reports = seen.is_some_and(|seen| seen.has_reports);
    // Counted devices ask too, even if the key-value store has lost its note.
    let is_seen = seen.is_some_and(|seen| seen.is_seen);
    let asks = match if is_seen { Ok(true) } else { is_asked(session, app) } {
        Ok(asks) => asks,
        Err(error) => {
            log::warn("it was not read whether an application is asked for updates", &error);
            return Ok(Some(UNKNOWN.to_owned()));
        }
    };
    let signals = CopySignals {
        asks,
        sends_device: telemetry::is_enabled(session.ports)?.then_some(has_devices),
        reports: match (app.flags.reports, has_reports) {
            (false, _) => ReportSignal::Off,
            (true, false) => ReportSignal::Awaited,
            (true, true) => ReportSignal::Received,
        },
    };
    Ok(signals.missing().map(ToOwned::to_owned))
}

/// Whether somebody has asked for updates lately.
fn is_asked(session: &Session<'_, impl Ports>, app: &App) -> Result<bool, KeyValueError> {
    let last = last_asked::read(session.ports, &app.id)?;
    Ok(last.is_some_and(|last| last.is_within(session.now, ASKED_SECONDS)))
}
