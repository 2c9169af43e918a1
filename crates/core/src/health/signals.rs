//! The signals that rollouts in parts and the guard need from installed copies.

use super::UNSEEN_DAYS;

/// For how many seconds a question about updates shows that an application has installed copies.
pub const ASKED_SECONDS: i64 = UNSEEN_DAYS * 24 * 60 * 60;

/// The failure reports of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportSignal {
    /// The application takes none.
    Off,
    /// It takes them, and none has come.
    Awaited,
    /// Some have come.
    Received,
}

/// The signals of an application's installed copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopySignals {
    /// Whether any has asked for updates in the last [`ASKED_SECONDS`].
    pub asks: bool,
    /// Whether any has sent a device id in the last 30 days. `None`: devices are not counted.
    pub sends_device: Option<bool>,
    /// Their failure reports.
    pub reports: ReportSignal,
}

impl CopySignals {
    /// The missing signals, as a sentence for people. `None`: none is missing, or nobody asks for updates.
    pub const fn missing(self) -> Option<&'static str> {
        if !self.asks {
            return None;
        }
        match (self.sends_device, self.reports) {
            (Some(false), ReportSignal::Off) => Some(
                "Copies check for updates, but none sends a device id, and failure reports are off: rollouts \
                 in parts need the former, and the guard needs both.",
            ),
            (Some(false), ReportSignal::Awaited) => Some(
                "Copies check for updates, but none has sent a device id or a failure report: rollouts in \
                 parts need the former, and the guard needs both.",
            ),
            (Some(false), ReportSignal::Received) => Some(
                "Copies check for updates, but none sends a device id, which rollouts in parts and the guard \
                 need.",
            ),
            (Some(true) | None, ReportSignal::Off) => {
                Some("The guard needs failure reports, and they are off.")
            }
            (Some(true) | None, ReportSignal::Awaited) => {
                Some("The guard needs failure reports, and none has come yet.")
            }
            (Some(true) | None, ReportSignal::Received) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(asks: bool, sends_device: Option<bool>, reports: ReportSignal) -> Option<&'static str> {
        CopySignals { asks, sends_device, reports }.missing()
    }

    #[test]
    fn missing_signals_are_named() {
        use ReportSignal::{Awaited, Off, Received};
        for (sends_device, reports, expected) in [
            (Some(false), Off, "none sends a device id, and failure reports are off"),
            (Some(false), Awaited, "none has sent a device id or a failure report"),
            (Some(false), Received, "none sends a device id, which"),
            (Some(true), Off, "failure reports, and they are off"),
            (Some(true), Awaited, "failure reports, and none has come"),
            // It is not known whether copies send a device id.
            (None, Off, "failure reports, and they are off"),
            (None, Awaited, "failure reports, and none has come"),
        ] {
            let text = missing(true, sends_device, reports).unwrap_or_default();
            assert!(text.contains(expected), "{sends_device:?} {reports:?}: {text}");
            let sentences = text.matches(". ").count() + 1;
            assert!(sentences == 1 && text.ends_with('.'), "one sentence: {text}");
        }
        for sends_device in [Some(true), None] {
            assert_eq!(missing(true, sends_device, Received), None);
        }
    }

    #[test]
    fn nothing_is_missing_where_nobody_asks() {
        for sends_device in [Some(false), Some(true), None] {
            for reports in [ReportSignal::Off, ReportSignal::Awaited, ReportSignal::Received] {
                assert_eq!(missing(false, sends_device, reports), None);
            }
        }
    }
}
