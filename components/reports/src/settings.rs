//! The settings that limit reports.

use spindrift_service::settings::{flag, number};
use spindrift_service::{Failure, Ports};
use spindrift_web::ApiError;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// The limits on reports. Sizes are in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) body: usize,
    pub(crate) compressed_details: usize,
    pub(crate) decompressed_details: usize,
    pub(crate) blobs_per_group: u32,
    pub(crate) per_key_per_minute: u64,
    pub(crate) groups_per_app: u32,
}

impl Limits {
    /// Reads the settings. 404, as for an unknown path, while `reports_enabled` is off.
    pub(crate) fn read(ports: &impl Ports) -> Result<Self, Failure> {
        if !flag(ports, "reports_enabled", true)? {
            return Err(ApiError::NotFound("not found".into()).into());
        }
        let bytes = |name, default, max| number(ports, name, default, 1..=max).map(saturate);
        let count = |name, default, max| {
            number(ports, name, default, 1..=max).map(|n| u32::try_from(n).unwrap_or(u32::MAX))
        };
        Ok(Self {
            body: bytes("reports_max_body_bytes", 256 * KIB, 64 * MIB)?,
            compressed_details: bytes("reports_max_details_compressed_bytes", 128 * KIB, 32 * MIB)?,
            decompressed_details: bytes("reports_max_details_decompressed_bytes", MIB, 32 * MIB)?,
            blobs_per_group: count("reports_max_blobs_per_group", 10, 1000)?,
            per_key_per_minute: number(ports, "reports_rate_limit_per_key_per_minute", 100, 1..=1_000_000)?,
            groups_per_app: count("reports_max_groups_per_app", 10_000, 100_000)?,
        })
    }
}

fn saturate(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
