//! Settings of telemetry and failure reports.

use std::ops::RangeInclusive;

use super::readers::COUNTING;
use crate::{SettingSource, Text};

/// The range of all retention times, in days: one day to ten years.
const RETENTION_DAYS: RangeInclusive<u32> = 1..=3650;
const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

rows! {
    /// Key for hashing device identifiers. If it is changed, or set later, every device counts as a new one.
    DEVICE_HASH_KEY: String {
        name: "device_hash_key", default: "", range: Text::any("any long random text"),
        readers: &["check", "feeds", "reports", "telemetry"], secret: true,
        when_empty: "the service makes a key once and keeps it in its database", is_checked: false,
    }
    /// Whether devices are counted. Otherwise a beacon is a 403.
    TELEMETRY_ENABLED: bool {
        name: "telemetry_enabled", default: "true", range: (), readers: &[COUNTING],
        // An edge has no database to count in.
        edge: SettingSource::Fixed("false"),
    }
    /// Whether devices wait in the key-value store for 250 ms and are counted together, if `device_hash_key`
    /// is set too. For stores that are quick to write, such as Redis and memory: a file waits for the disk
    /// each time. The runtime configurations that come with the service set it to `true`. Devices that wait
    /// when it is switched off are counted once it is on again. The fast build gathers devices without it.
    TELEMETRY_GATHERED: bool {
        name: "telemetry_gathered", default: "false", range: (),
        readers: &[COUNTING, "maintenance"],
    }
    /// How long device counts are kept.
    TELEMETRY_RETENTION_DAYS: u32 {
        name: "telemetry_retention_days", default: "30", range: RETENTION_DAYS,
        readers: &["console", "maintenance", "releases"],
        unit: "days",
    }
    /// Whether `POST /reports/ingest` is available. Otherwise it is a 404.
    REPORTS_ENABLED: bool {
        name: "reports_enabled", default: "true", range: (), readers: &["releases", "reports"],
    }
    /// Maximum size of a report.
    REPORTS_MAX_BODY_BYTES: usize {
        name: "reports_max_body_bytes", default: "262144", range: 1..=64 * MIB, readers: &["reports"],
        unit: "bytes",
    }
    /// Maximum compressed size of the details of a report.
    REPORTS_MAX_DETAILS_COMPRESSED_BYTES: usize {
        name: "reports_max_details_compressed_bytes", default: "131072", range: 1..=32 * MIB,
        readers: &["reports"], unit: "bytes",
    }
    /// Maximum decompressed size of the details of a report.
    REPORTS_MAX_DETAILS_DECOMPRESSED_BYTES: usize {
        name: "reports_max_details_decompressed_bytes", default: "1048576", range: 1..=32 * MIB,
        readers: &["reports"], unit: "bytes",
    }
    /// How long the details of reports are kept.
    REPORTS_BLOB_RETENTION_DAYS: u32 {
        name: "reports_blob_retention_days", default: "30", range: RETENTION_DAYS, readers: &["maintenance"],
        unit: "days",
    }
    /// Details kept for each group; older ones are deleted.
    REPORTS_MAX_BLOBS_PER_GROUP: u32 {
        name: "reports_max_blobs_per_group", default: "10", range: 1..=1000, readers: &["reports"],
        unit: "details",
    }
    /// Reports accepted with one key in a minute.
    REPORTS_RATE_LIMIT_PER_KEY_PER_MINUTE: u64 {
        name: "reports_rate_limit_per_key_per_minute", default: "100", range: 1..=1_000_000,
        readers: &["reports"], unit: "reports",
    }
    /// How long a group is kept after its last report. The default is more than a year, so that a yearly
    /// failure is recognised.
    REPORTS_GROUP_RETENTION_DAYS: u32 {
        name: "reports_group_retention_days", default: "400", range: RETENTION_DAYS, readers: &["maintenance"],
        unit: "days",
    }
    /// Groups of one application. Reports beyond that are counted in the application's group `other`.
    REPORTS_MAX_GROUPS_PER_APP: u32 {
        name: "reports_max_groups_per_app", default: "10000", range: 1..=100_000, readers: &["reports"],
        unit: "groups",
    }
}
