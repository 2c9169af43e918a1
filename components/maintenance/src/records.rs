//! Expired rows and counters.

use spindrift_api::MaintenanceBody;
use spindrift_core::Day;
use spindrift_db::telemetry;
use spindrift_service::{Failure, Ports, rate_limits, report_blobs, settings};
use spindrift_storage::Storage;

/// Most rows of each kind, and most steps through counters, in one run; the next run continues.
const BATCH: u32 = 50_000;
/// Most report details in one run: each is an object in the storage.
const BLOB_BATCH: u32 = 500;
/// Allowed retention periods, in days: a day to ten years.
const RETENTION_DAYS: std::ops::RangeInclusive<u64> = 1..=3650;
/// For devices and report details.
const DEFAULT_RETENTION_DAYS: u64 = 30;
/// For report groups: longer than a year, so that yearly failures are recognised.
const DEFAULT_GROUP_RETENTION_DAYS: u64 = 400;
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

pub(crate) async fn remove<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let days = retention_days(ports, "telemetry_retention_days", DEFAULT_RETENTION_DAYS)?;
    body.telemetry_deleted = telemetry::delete_before(conn, Day::of(now).minus(days), BATCH)?;
    let days = retention_days(ports, "reports_blob_retention_days", DEFAULT_RETENTION_DAYS)?;
    let before = now.plus_seconds(-days * SECONDS_PER_DAY);
    body.blobs_deleted = report_blobs::delete_before(ports, conn, storage, before, BLOB_BATCH).await?;
    let days = retention_days(ports, "reports_group_retention_days", DEFAULT_GROUP_RETENTION_DAYS)?;
    let (before, batch) = (now.plus_seconds(-days * SECONDS_PER_DAY), (BATCH, BLOB_BATCH));
    body.blobs_deleted += report_blobs::delete_groups_before(ports, conn, storage, before, batch).await?;
    body.counters_deleted = rate_limits::delete_expired(ports, now, u64::from(BATCH))?;
    Ok(())
}

/// A setting in days, within [`RETENTION_DAYS`].
fn retention_days(ports: &impl Ports, name: &str, default: u64) -> Result<i64, Failure> {
    Ok(settings::number(ports, name, default, RETENTION_DAYS)?.cast_signed())
}
