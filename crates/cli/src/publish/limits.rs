//! The limits of an upload, with their defaults.

use std::time::Duration;

use clap::Args;
use spindrift_core::{MAX_FILE_BYTES, MAX_PARTS_PER_FILE, MIN_PART_BYTES};

/// Maximum pause between two attempts.
const MAX_PAUSE: Duration = Duration::from_secs(30);
pub(super) const MIB: u64 = 1024 * 1024;
/// Default length of a part, in MiB. An interrupted transfer loses the parts under way.
const PART_MIB: u64 = 8;
/// A file is sent in parts if it has more than this number of them.
const WHOLE_PARTS: u64 = 4;
/// Default time for retries, in seconds: about as long as a person waits for a restart.
const RETRY_FOR: u64 = 600;
/// Maximum number of attempts, for pauses so short that even more would fit.
const MAX_ATTEMPTS: u32 = 1000;

/// The limits for one run of `publish`.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct UploadLimits {
    /// Number of files sent at a time.
    #[arg(long, default_value_t = 4, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(super) parallel: u16,
    /// Retry transient failures for this many seconds, counted from the first failure.
    #[arg(long, default_value_t = RETRY_FOR, value_name = "SECONDS")]
    pub(super) retry_for: u64,
    /// Also limit the number of retries.
    #[arg(long, value_name = "COUNT")]
    pub(super) retries: Option<u32>,
    /// Pause before the first retry, in seconds. Each further pause is twice as long, up to 30 seconds.
    #[arg(long, default_value_t = 1, value_name = "SECONDS")]
    pub(super) retry_pause: u64,
    /// Length of the parts in which large files are sent, in MiB. A later run only sends the missing parts.
    /// 0: send every file as a whole.
    #[arg(long, default_value_t = PART_MIB, value_name = "MIB", value_parser = part_size)]
    pub(super) part_size: u64,
    /// Seconds without progress after which an attempt is given up.
    #[arg(long, default_value_t = 60, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) stall_timeout: u64,
    /// Time limit for the service to complete the upload, in seconds.
    #[arg(long, default_value_t = 600, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) complete_timeout: u64,
}

/// Parses the length of parts. The storage refuses parts that are too short.
fn part_size(text: &str) -> Result<u64, String> {
    let (least, most) = (MIN_PART_BYTES / MIB, MAX_FILE_BYTES / MIB);
    match text.parse() {
        Ok(mib) if mib == 0 || (least..=most).contains(&mib) => Ok(mib),
        _ => Err(format!("it is 0, or {least} to {most}")),
    }
}

impl UploadLimits {
    /// Length of the parts of a file of `length` bytes: whole MiB. `None`: it is sent as a whole.
    pub(super) fn part_length(&self, length: u64) -> Option<u64> {
        let part = self.part_size * MIB;
        let fewest = length.div_ceil(MAX_PARTS_PER_FILE as u64).next_multiple_of(MIB);
        (part > 0 && length > WHOLE_PARTS * part).then(|| part.max(fewest))
    }

    /// The pause after `failed` attempts.
    pub(crate) fn pause(&self, failed: u32) -> Duration {
        let factor = 1_u32.checked_shl(failed.saturating_sub(1)).unwrap_or(u32::MAX);
        Duration::from_secs(self.retry_pause).saturating_mul(factor).min(MAX_PAUSE)
    }

    /// How many attempts fit into the time for retries.
    pub(crate) fn attempts(&self) -> u32 {
        let most = self.retries.unwrap_or(MAX_ATTEMPTS).min(MAX_ATTEMPTS);
        let time = Duration::from_secs(self.retry_for);
        let mut waited = Duration::ZERO;
        let fitting = (1..=most).take_while(|failed| {
            waited += self.pause(*failed);
            waited <= time
        });
        u32::try_from(fitting.count()).map_or(MAX_ATTEMPTS, |retries| retries + 1)
    }

    pub(crate) const fn stall(&self) -> Duration {
        Duration::from_secs(self.stall_timeout)
    }

    pub(super) const fn complete(&self) -> Duration {
        Duration::from_secs(self.complete_timeout)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::publish) const LIMITS: UploadLimits = UploadLimits {
        parallel: 1,
        retry_for: RETRY_FOR,
        retries: None,
        retry_pause: 1,
        part_size: PART_MIB,
        stall_timeout: 1,
        complete_timeout: 1,
    };

    #[test]
    fn large_files_have_parts() {
        let length =
            |limits: &UploadLimits, mib: u64| limits.part_length(mib * MIB).map(|length| length / MIB);
        assert_eq!(length(&LIMITS, 32), None);
        assert_eq!(LIMITS.part_length(32 * MIB + 1), Some(8 * MIB));
        assert_eq!(length(&LIMITS, 5 * 1024), Some(8));
        assert_eq!(
            length(&UploadLimits { part_size: 5, ..LIMITS }, 5 * 1024),
            Some(6),
            "a thousand parts at most"
        );
        assert_eq!(length(&UploadLimits { part_size: 0, ..LIMITS }, 5 * 1024), None);
        for (text, is_good) in
            [("0", true), ("5", true), ("4", false), ("5120", true), ("5121", false), ("x", false)]
        {
            assert_eq!(part_size(text).is_ok(), is_good, "{text}");
        }
    }

    #[test]
    fn attempts_fit_into_the_time() {
        // 1, 2, 4, 8, 16 seconds, and then 30 each time.
        assert_eq!(LIMITS.attempts(), 1 + 5 + 18);
        assert_eq!(UploadLimits { retries: Some(3), ..LIMITS }.attempts(), 4);
        assert_eq!(UploadLimits { retry_for: 0, ..LIMITS }.attempts(), 1);
        assert_eq!(UploadLimits { retry_pause: 0, ..LIMITS }.attempts(), MAX_ATTEMPTS + 1);
    }

    #[test]
    fn pauses_double_up_to_the_longest() {
        let limits = LIMITS;
        let pauses: Vec<u64> = [1, 2, 3, 5, 6, 40].map(|failed| limits.pause(failed).as_secs()).into();
        assert_eq!(pauses, [1, 2, 4, 16, 30, 30]);
    }
}
