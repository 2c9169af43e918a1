//! Signals that the installed copies of an application do not send.

use spindrift_core::App;
use spindrift_core::health::{ASKED_SECONDS, CopySignals, ReportSignal};
use spindrift_service::requests::Session;
use spindrift_service::{Failure, Ports, last_asked, telemetry};

use super::figures::Figures;

/// A sentence for people. `None`: nothing is missing, or it is not known.
pub(super) fn missing(
    session: &Session<'_, impl Ports>,
    app: &App,
    figures: &Figures,
) -> Result<Option<String>, Failure> {
    let seen = figures.seen.get(&app.id);
    let has_devices = figures.devices.get(&app.id).is_some_and(|count| count.devices > 0);
    let has_reports = seen.is_some_and(|seen| seen.has_reports);
    let signals = CopySignals {
        // Counted devices ask too, even if the key-value store has lost its note.
        asks: seen.is_some_and(|seen| seen.is_seen) || is_asked(session, app),
        sends_device: telemetry::is_enabled(session.ports)?.then_some(has_devices),
        reports: match (app.flags.reports, has_reports) {
            (false, _) => ReportSignal::Off,
            (true, false) => ReportSignal::Awaited,
            (true, true) => ReportSignal::Received,
        },
    };
    Ok(signals.missing().map(ToOwned::to_owned))
}

/// Whether it is known that somebody asks for updates. If the store fails, it is not, and the overview is
/// shown without the sentence.
fn is_asked(session: &Session<'_, impl Ports>, app: &App) -> bool {
    let last = last_asked::read(session.ports, &app.id).ok().flatten();
    last.is_some_and(|last| last.is_within(session.now, ASKED_SECONDS))
}
