//! How many devices fail with a release.

use spindrift_api::{FailingRoundBody, ReleaseHealthBody, SeriesBody, VerdictName};

use crate::parts;

/// The failures of a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FailureFigures<'h> {
    /// Whether a person should look before more devices get the release.
    pub(crate) is_failing: bool,
    pub(crate) verdict: VerdictName,
    pub(crate) why: &'h str,
    /// The beginning of the round, RFC 3339.
    pub(crate) since: Option<&'h str>,
    /// Different devices that were seen with the version.
    pub(crate) devices: u64,
    pub(crate) running: &'h SeriesBody,
    pub(crate) updating: &'h SeriesBody,
}

impl<'h> FailureFigures<'h> {
    /// The present figures. `None`: failures of the release no longer count.
    pub(crate) fn now(body: &'h ReleaseHealthBody) -> Option<Self> {
        let now = body.now.as_ref()?;
        Some(Self {
            is_failing: now.failing || body.verdict == VerdictName::Unhealthy,
            verdict: now.verdict,
            why: &now.why,
            since: body.since.as_deref(),
            devices: now.devices,
            running: &now.running,
            updating: &now.updating,
        })
    }

    /// The figures of an earlier round, in which the release was failing.
    pub(crate) fn earlier(round: &'h FailingRoundBody) -> Self {
        Self {
            is_failing: true,
            verdict: round.verdict,
            why: &round.why,
            since: Some(&round.since),
            devices: round.devices,
            running: &round.running,
            updating: &round.updating,
        }
    }

    /// "unhealthy", or "failing" if that may be chance.
    pub(crate) fn word(&self) -> &'static str {
        if self.verdict == VerdictName::Unhealthy { "unhealthy" } else { "failing" }
    }

    /// The series in which more devices fail.
    fn worse(&self) -> &'h SeriesBody {
        if self.updating.k > self.running.k { self.updating } else { self.running }
    }

    /// "30 of 90 devices failed".
    pub(crate) fn failed(&self) -> String {
        let (running, updating) = (self.running.k, self.updating.k);
        if updating > running {
            return format!("{} failed to update to it", parts::count(updating, "device"));
        }
        match running {
            0 if self.devices == 0 => "no failures yet".to_owned(),
            0 => format!("no failures on {}", parts::count(self.devices, "device")),
            _ => format!("{} failed", self.running_devices()),
        }
    }

    /// "30 of 90 devices": running copies. A copy that does not start is not always seen.
    fn running_devices(&self) -> String {
        let failing = self.running.k;
        if failing > self.devices {
            return parts::count(failing, "device");
        }
        format!("{} of {}", parts::number(failing), parts::count(self.devices, "device"))
    }

    /// "30 of 90".
    pub(crate) fn share(&self) -> String {
        let failing = self.running.k;
        let of = if failing > self.devices || self.devices == 0 {
            String::new()
        } else {
            format!(" of {}", parts::number(self.devices))
        };
        format!("{}{of}", parts::number(failing))
    }

    /// "2 in 1,000 before". `None`: there is nothing to compare with.
    pub(crate) fn before(&self) -> Option<String> {
        let rate = self.worse().baseline.as_ref()?.per_1000?;
        Some(format!("{} in 1,000 before", decimal(rate)))
    }

    /// "30 of 90 devices failed; 2 in 1,000 before".
    pub(crate) fn sentence(&self) -> String {
        let has_failures = self.worse().k > 0;
        match self.before().filter(|_| has_failures) {
            Some(before) => format!("{}; {before}", self.failed()),
            None => self.failed(),
        }
    }
}

/// Formats a number with at most two decimals.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "0" if number > 0.0 => "less than 0.01".to_owned(),
        short => short.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn figures_are_a_sentence() {
        for (running, updating, devices, before, sentence, share) in [
            (30, 0, 90, Some(2.0), "30 of 90 devices failed; 2 in 1,000 before", "30 of 90"),
            (30, 0, 90, None, "30 of 90 devices failed", "30 of 90"),
            (1, 0, 0, Some(2.5), "1 device failed; 2.5 in 1,000 before", "1"),
            (30, 0, 7, None, "30 devices failed", "30"),
            (0, 0, 90, Some(2.0), "no failures on 90 devices", "0 of 90"),
            (0, 0, 0, None, "no failures yet", "0"),
            (3, 12, 90, None, "12 devices failed to update to it", "3 of 90"),
        ] {
            let series = |k: u64| {
                let baseline = before.map(|rate| json!({ "k": 2, "n": 1000, "per_1000": rate }));
                json!({ "k": k, "n": 100, "per_1000": 1.0, "needed": 5.3, "baseline": baseline })
            };
            let round = json!({
                "since": "s", "at": "a", "verdict": "unhealthy", "why": "w", "devices": devices,
                "running": series(running), "updating": series(updating),
            });
            let round: FailingRoundBody = serde_json::from_value(round).unwrap();
            let figures = FailureFigures::earlier(&round);
            assert_eq!((figures.sentence().as_str(), figures.share().as_str()), (sentence, share));
        }
    }

    #[test]
    fn rates_are_short() {
        for (rate, text) in [
            (40.0, "40"),
            (2.5, "2.5"),
            (1.666, "1.67"),
            (0.0, "0"),
            (0.001, "less than 0.01"),
            (100.0, "100"),
        ] {
            assert_eq!(decimal(rate), text);
        }
    }
}
