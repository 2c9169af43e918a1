//! The settings that limit reports.

use spindrift_service::{Failure, Ports};
use spindrift_settings::{
    REPORTS_ENABLED, REPORTS_MAX_BLOBS_PER_GROUP, REPORTS_MAX_BODY_BYTES,
    REPORTS_MAX_DETAILS_COMPRESSED_BYTES, REPORTS_MAX_DETAILS_DECOMPRESSED_BYTES, REPORTS_MAX_GROUPS_PER_APP,
    REPORTS_RATE_LIMIT_PER_KEY_PER_MINUTE,
};
use spindrift_web::ApiError;

/// The limits on reports. Sizes are in bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReportLimits {
    pub(crate) body: usize,
    pub(crate) compressed_details: usize,
    pub(crate) decompressed_details: usize,
    pub(crate) blobs_per_group: u32,
    pub(crate) per_key_per_minute: u64,
    pub(crate) groups_per_app: u32,
}

impl ReportLimits {
    /// Reads the settings. 404, as for an unknown path, while `reports_enabled` is off.
    pub(crate) fn read(ports: &impl Ports) -> Result<Self, Failure> {
        if !REPORTS_ENABLED.read(ports)? {
            return Err(ApiError::NotFound("not found".into()).into());
        }
        Ok(Self {
            body: REPORTS_MAX_BODY_BYTES.read(ports)?,
            compressed_details: REPORTS_MAX_DETAILS_COMPRESSED_BYTES.read(ports)?,
            decompressed_details: REPORTS_MAX_DETAILS_DECOMPRESSED_BYTES.read(ports)?,
            blobs_per_group: REPORTS_MAX_BLOBS_PER_GROUP.read(ports)?,
            per_key_per_minute: REPORTS_RATE_LIMIT_PER_KEY_PER_MINUTE.read(ports)?,
            groups_per_app: REPORTS_MAX_GROUPS_PER_APP.read(ports)?,
        })
    }
}
