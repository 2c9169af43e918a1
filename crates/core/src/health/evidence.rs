//! Tests whether failures have become more frequent.
//!
//! The test is an e-value, a mixture of likelihood ratios: by Ville's inequality, while the true
//! rate is at most the allowed one, the chance that it ever exceeds 1/a is at most a, however often
//! it is computed. Both series are tested, so each has to exceed 2/alpha.

use super::guard::Guard;

/// The rates in the mixture, as multiples of the allowed rate, with equal weights.
const RATIOS: [f64; 13] = [1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0];

/// Failures of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exposure {
    /// Number of different devices that failed.
    pub failing: u64,
    /// Device-days: the number of devices of each day, added up. At least `failing`.
    pub device_days: u64,
}

/// Failures before a release.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Baseline {
    /// Device-days with a failure.
    pub failing: u64,
    /// Device-days.
    pub device_days: u64,
    /// The divisor for both. A device that fails on several days is weaker evidence than several
    /// devices: for the devices' numbers of days d, it is the sum of d² divided by the sum of d. At
    /// least 1.
    pub spread: f64,
}

/// The evidence that there are more failures than allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// The natural logarithm of the e-value. `None`: there is nothing to compare with.
    pub ln_e: Option<f64>,
    /// The evidence that is needed.
    pub needed: f64,
}

impl Exposure {
    /// Failing devices and device-days. There are at least as many of the latter.
    pub fn new(failing: u64, device_days: u64) -> Self {
        Self { failing, device_days: device_days.max(failing) }
    }

    /// Failing devices per device-day. `None`: there are no device-days.
    pub fn rate(self) -> Option<f64> {
        (self.device_days > 0).then(|| count(self.failing) / count(self.device_days))
    }
}

impl Baseline {
    /// Failing device-days per device-day. `None`: there are no device-days.
    pub fn rate(self) -> Option<f64> {
        (self.device_days > 0).then(|| count(self.failing) / count(self.device_days))
    }

    /// Like [`Self::rate`], with one failure more, so that a baseline without failures allows some.
    pub(super) fn upper_rate(self) -> Option<f64> {
        (self.device_days > 0).then(|| count(self.failing.saturating_add(1)) / count(self.device_days))
    }
}

impl Evidence {
    /// Compares with the previous rate, or with the one that the guard allows. `max_per_1000`
    /// applies only to the failures of running copies.
    pub fn of(
        exposure: Exposure,
        baseline: Option<Baseline>,
        guard: &Guard,
        max_per_1000: Option<f64>,
    ) -> Self {
        let baseline = baseline.filter(|baseline| baseline.device_days > 0);
        let ln_e = match (max_per_1000, baseline) {
            (Some(max), _) => Some(against_rate(exposure, max / 1000.0)),
            (None, Some(baseline)) => Some(against_baseline(exposure, baseline, guard.factor.to_f64())),
            (None, None) => None,
        };
        Self { ln_e, needed: guard.needed() }
    }

    /// Whether the evidence suffices.
    pub fn is_enough(self) -> bool {
        self.ln_e.is_some_and(|ln_e| ln_e >= self.needed)
    }
}

/// The mean over R of R^k ((N0 + fn) / (N0 + Rfn))^(K0 + 1 + k). The 1 is the weight of the prior
/// of the previous rate, and intended.
fn against_baseline(exposure: Exposure, baseline: Baseline, factor: f64) -> f64 {
    let (k, n) = (count(exposure.failing), count(exposure.device_days));
    let k0 = count(baseline.failing) / baseline.spread;
    let n0 = count(baseline.device_days) / baseline.spread;
    let term = |ratio: f64| {
        k * ratio.ln() + (k0 + 1.0 + k) * ((n0 + factor * n).ln() - (n0 + ratio * factor * n).ln())
    };
    ln_mean(RATIOS.map(term))
}

/// The mean over R of R^k exp(-qn(R - 1)).
fn against_rate(exposure: Exposure, rate: f64) -> f64 {
    let (k, n) = (count(exposure.failing), count(exposure.device_days));
    ln_mean(RATIOS.map(|ratio| k * ratio.ln() - rate * n * (ratio - 1.0)))
}

/// The logarithm of the mean of numbers that are given by their logarithms.
fn ln_mean(terms: [f64; 13]) -> f64 {
    let greatest = terms.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = terms.iter().map(|term| (term - greatest).exp()).sum();
    greatest + (sum / 13.0).ln()
}

#[expect(clippy::cast_precision_loss, reason = "counts of devices are far below 2^52")]
const fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;
