//! The limits of an upload, with their defaults.

use std::time::Duration;

use clap::Args;

/// Maximum pause between two attempts.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The limits for one run of `publish`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct Limits {
    /// Number of files sent at a time.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(super) parallel: u16,
    /// Number of retries for a file or a completion after a transient failure.
    #[arg(long, default_value_t = 5, value_name = "COUNT")]
    pub(crate) retries: u32,
    /// Pause before the first retry, in seconds. Each further pause is twice as long, up to 30 seconds.
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    pub(super) retry_pause: u64,
    /// Seconds without progress after which an attempt is given up.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) stall_timeout: u64,
    /// Time limit for the service to complete the upload, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) complete_timeout: u64,
}

impl Limits {
    /// The pause after `failed` attempts.
    pub(crate) fn pause(&self, failed: u32) -> Duration {
        let factor = 1_u32.checked_shl(failed.saturating_sub(1)).unwrap_or(u32::MAX);
        Duration::from_secs(self.retry_pause).saturating_mul(factor).min(MAX_PAUSE)
    }

    pub(crate) const fn stall(&self) -> Duration {
        Duration::from_secs(self.stall_timeout)
    }

    pub(super) const fn complete(&self) -> Duration {
        Duration::from_secs(self.complete_timeout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let limits =
            Limits { parallel: 1, retries: 9, retry_pause: 1, stall_timeout: 1, complete_timeout: 1 };
        let pauses: Vec<u64> = [1, 2, 3, 5, 6, 40].map(|failed| limits.pause(failed).as_secs()).into();
        assert_eq!(pauses, [1, 2, 4, 16, 30, 30]);
    }
}
