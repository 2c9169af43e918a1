//! Expired rows and counters.

use spindrift_api::MaintenanceBody;
use spindrift_core::{Day, Invitation, Timestamp};
use spindrift_db::{
    SqlError, device_logins, downloads, invitations, logins, publishers, telemetry, telemetry_fold,
    used_proofs,
};
use spindrift_service::objects::report_blobs::ReportBlobs;
use spindrift_service::telemetry::gathered_sightings;
use spindrift_service::{Failure, Ports, rate_limits};
use spindrift_settings::{
    REPORTS_BLOB_RETENTION_DAYS, REPORTS_GROUP_RETENTION_DAYS, TELEMETRY_RETENTION_DAYS,
};
use spindrift_storage::Storage;

/// Maximum number of rows of each kind, and of steps through counters, in one run; the next run continues.
const BATCH: u32 = 50_000;
/// Maximum number of report details in one run: each is an object in the storage.
const BLOB_BATCH: u32 = 500;
/// Number of telemetry rows written at once, which takes some hundredths of a second. Other writers get their
/// turn in between.
const PIECE: u32 = 5_000;
/// Maximum number of such pieces of each kind in one run: 144 million rows a day, with a run every five
/// minutes.
const PIECES: u32 = 100;
/// Seconds after the end of a day during which devices of that day may still be counted. This allows for
/// devices that wait in an instance for a busy database, and for the difference between the clocks of two
/// hosts.
const LATE_SECONDS: i64 = 60 * 60;
/// Seconds for which the token of a job stays after its end: longer than a call that began with it can last.
const TOKEN_SECONDS: i64 = 24 * 60 * 60;
const SECONDS_PER_DAY: i64 = 24 * 60 * 60;

/// Runs all parts, even if some fail, and returns the first failure.
pub(crate) async fn remove<P: Ports>(
    ports: &P,
    conn: &P::Conn,
    storage: &Storage<'_, P>,
    body: &mut MaintenanceBody,
) -> Result<(), Failure> {
    let now = ports.now();
    let (today, over) = (Day::of(now), Day::of(now.plus_seconds(-LATE_SECONDS)).minus(1));
    let first = today.minus(TELEMETRY_RETENTION_DAYS.read(ports)?.into());
    let blobs_before = days_before(now, REPORTS_BLOB_RETENTION_DAYS.read(ports)?);
    let groups_before = days_before(now, REPORTS_GROUP_RETENTION_DAYS.read(ports)?);
    gathered_sightings::count(ports, conn);
    let folded = in_pieces(|| telemetry_fold::fold(conn, today, over, PIECE));
    let telemetry = in_pieces(|| telemetry::delete_before(conn, first, PIECE));
    let days = in_pieces(|| telemetry_fold::delete_before(conn, first, PIECE));
    let downloads = in_pieces(|| downloads::delete_before(conn, first, PIECE));
    let details = ReportBlobs { ports, conn, storage };
    let blobs = details.delete_before(blobs_before, BLOB_BATCH).await;
    let groups = details.delete_groups_before(groups_before, BATCH, BLOB_BATCH).await;
    let logins = logins::delete_expired(conn, now, BATCH);
    let invitations = invitations::delete_before(conn, Invitation::kept_since(now), BATCH);
    let tokens = publishers::delete_ended(conn, now.plus_seconds(-TOKEN_SECONDS), BATCH);
    let proofs = used_proofs::delete_expired(conn, now.plus_seconds(-TOKEN_SECONDS), BATCH);
    let devices = device_logins::delete_expired(conn, now, BATCH);
    let counters = rate_limits::delete_expired(ports, now, u64::from(BATCH));
    body.telemetry_deleted = *telemetry.as_ref().unwrap_or(&0);
    body.blobs_deleted = blobs.as_ref().unwrap_or(&0) + groups.as_ref().unwrap_or(&0);
    body.counters_deleted = *counters.as_ref().unwrap_or(&0);
    let _ = folded.and(telemetry).and(days).and(downloads)?;
    let _ = blobs.and(groups)?;
    let _ = logins.and(invitations).and(tokens)?;
    proofs.and(devices)?;
    counters?;
    Ok(())
}

/// Repeats `piece`, which returns how many rows it has handled, until nothing is left or the limit of a run
/// is reached.
fn in_pieces(piece: impl Fn() -> Result<u64, SqlError>) -> Result<u64, Failure> {
    let mut rows = 0;
    for _ in 0..PIECES {
        let handled = piece()?;
        rows += handled;
        if handled < u64::from(PIECE) {
            break;
        }
    }
    Ok(rows)
}

fn days_before(now: Timestamp, days: u32) -> Timestamp {
    now.plus_seconds(-i64::from(days) * SECONDS_PER_DAY)
}
