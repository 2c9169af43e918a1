//! Limits of a kit.

use std::time::Duration;

/// The limits of a [`Kit`](crate::Kit).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KitLimits {
    /// Reports that wait to be sent; further ones are dropped. Default 20.
    pub max_reports: usize,
    /// Reports that are older are dropped. Default 14 days.
    pub max_report_age: Duration,
    /// Size of a report's details, as JSON, in bytes; larger ones are left out. Default 8 KiB.
    pub max_details_bytes: usize,
}

impl Default for KitLimits {
    fn default() -> Self {
        Self { max_reports: 20, max_report_age: Duration::from_hours(14 * 24), max_details_bytes: 8 * 1024 }
    }
}
