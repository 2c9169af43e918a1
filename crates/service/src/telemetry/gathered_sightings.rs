//! Sightings of devices, and downloads, that wait in the key-value store to be counted together.
//!
//! An instance that answers one request cannot batch its write to the database. So it takes the next number
//! (`sightings.next`) and stores its sighting under that number (`sightings.<number>`). A request that finds
//! no other sighting waiting (`sightings.counted`) gathers for a moment and then counts all that wait, until
//! none is left. Maintenance and readers of figures do so once. The transaction that counts also advances the
//! number up to which the log is counted, so each sighting is counted once
//! (`docs/adr/0044-sightings-are-gathered.md`).

use spindrift_core::Timestamp;
use spindrift_db::gathered_sightings::GatheredRow;
use spindrift_db::{SqlConn, gathered_sightings};
use spindrift_settings::TELEMETRY_GATHERED;

use super::sighting::{Countable, device_hash_key};
use crate::{Ports, ServiceError};

/// Seconds for which counting is retried while it makes no progress, for example because the database is
/// locked. No caller waits for it.
pub(super) const RETRY_SECONDS: i64 = 30;
/// Key of the last number that was given out.
const NEXT: &str = "sightings.next";
/// Key of the last number that was counted, which shows without the database whether sightings wait.
const COUNTED: &str = "sightings.counted";
/// Key of the log's name. Absent if the store was emptied, in which case the numbers start over.
const LOG: &str = "sightings.log";
/// Every 4,096th request also counts, because the one that should may have ended.
const ROUND: i64 = 4096;
/// Maximum number of sightings that one transaction counts.
const BATCH: i64 = 1024;
/// Maximum number of transactions of one call; the next call goes on.
const MAX_BATCHES: usize = 64;
/// Maximum number of devices that wait, which take some 300 MB. If the database cannot be written for so
/// long, further devices are lost.
const MAX_WAITING: i64 = 1_000_000;
/// Seconds after which a number without a sighting is skipped: its request has ended between two calls.
const MISSING_SECONDS: i64 = 10;

/// Leaves a request's device and download to be counted, and counts all that wait if no other request is
/// about to. `false` if devices are not gathered, or if the service hashes with its own key, which is in the
/// database.
///
/// # Errors
/// The store failed, and some of the request's items may not have been stored.
pub(super) async fn keep(ports: &impl Ports, of_request: &[Countable]) -> Result<bool, ServiceError> {
    if !TELEMETRY_GATHERED.read(ports)? {
        return Ok(false);
    }
    let Some(hash_key) = device_hash_key(ports)? else { return Ok(false) };
    let (mut is_first, mut is_round) = (false, false);
    for row in of_request.iter().filter_map(|countable| countable.row(&hash_key)) {
        let number = ports.increment(NEXT, 1)?;
        let waiting = last_counted(ports)?.map(|counted| number - counted);
        if waiting.is_none_or(|waiting| waiting <= MAX_WAITING) {
            ports.set(&key(number), entry(ports.now(), &row).as_bytes())?;
        }
        // In a new store nothing has been counted yet.
        is_first |= waiting == Some(1) || number == 1;
        is_round |= number % ROUND == 0;
    }
    if is_first {
        count_until_none_waits(ports).await;
    } else if is_round {
        warn_of(count_now(ports));
    }
    Ok(true)
}

/// Counts the devices that wait and those that arrive in the meantime, until none is left. Under load this
/// goes on as long as devices arrive. It gives up when it makes no progress: the database fails, or the
/// request with the last number has ended before it stored its sighting.
async fn count_until_none_waits(ports: &impl Ports) {
    let mut moved = (ports.now(), None);
    loop {
        ports.gather().await;
        let result = count_now(ports);
        if matches!(result, Ok(true)) {
            return;
        }
        match last_counted(ports) {
            Ok(position) if position != moved.1 => moved = (ports.now(), position),
            _ if moved.0.is_within(ports.now(), RETRY_SECONDS) => {}
            _ => return warn_of(result),
        }
    }
}

/// Counts the devices that wait, if devices are gathered. If that fails, they keep waiting, and the failure
/// is logged.
pub fn count(ports: &impl Ports, conn: &impl SqlConn) {
    warn_of(count_batches(ports, conn));
}

fn warn_of(counted: Result<bool, ServiceError>) {
    if let Err(failure) = counted {
        crate::log::warn("gathered devices were not counted", &failure);
    }
}

fn count_now(ports: &impl Ports) -> Result<bool, ServiceError> {
    count_batches(ports, &spindrift_db::open(ports, ports.now())?)
}

/// Returns whether no device waits.
fn count_batches(ports: &impl Ports, conn: &impl SqlConn) -> Result<bool, ServiceError> {
    if !TELEMETRY_GATHERED.read(ports)? {
        return Ok(true);
    }
    for _ in 0..MAX_BATCHES {
        match count_batch(ports, conn)? {
            Remaining::Ready => {}
            Remaining::Nothing => return Ok(true),
            Remaining::Blocked => return Ok(false),
        }
    }
    Ok(false)
}

/// The sightings left after a batch.
enum Remaining {
    Nothing,
    /// Sightings that can be counted now.
    Ready,
    /// Sightings that their requests have not stored yet, or that another process is counting.
    Blocked,
}

fn count_batch(ports: &impl Ports, conn: &impl SqlConn) -> Result<Remaining, ServiceError> {
    let (log, folded) = position(ports, conn)?;
    // Read after the position: a number is given out before it is counted, so this holds even if others count
    // in the meantime.
    let last = ports.increment(NEXT, 0)?;
    if folded > last {
        // The store was reset, and gives out the same numbers again.
        rename_log(ports, conn, Some(&log))?;
        return Ok(Remaining::Ready);
    }
    let end = last.min(folded + BATCH);
    let batch = read(ports, folded, end)?;
    if batch.to > folded {
        if !gathered_sightings::fold(conn, &log, folded, batch.to, batch.rows)? {
            return Ok(Remaining::Blocked);
        }
        for number in folded + 1..=batch.to {
            ports.delete(&key(number))?;
        }
    }
    if last_counted(ports)? != Some(batch.to) {
        ports.set(COUNTED, batch.to.to_string().as_bytes())?;
    }
    // Read again: a request that got its number before `COUNTED` was written saw other sightings waiting, and
    // does not count.
    Ok(match ports.increment(NEXT, 0)? {
        last if last == batch.to => Remaining::Nothing,
        _ if batch.to == end => Remaining::Ready,
        _ => Remaining::Blocked,
    })
}

/// The last number that was counted. `None` if the store does not have it.
fn last_counted(ports: &impl Ports) -> Result<Option<i64>, ServiceError> {
    Ok(ports.get(COUNTED)?.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()))
}

/// The log's name, and the number up to which it is counted.
fn position(ports: &impl Ports, conn: &impl SqlConn) -> Result<(String, i64), ServiceError> {
    let log = match log_name(ports)? {
        Some(log) => log,
        None => rename_log(ports, conn, None)?,
    };
    let folded = gathered_sightings::folded_up_to(conn, &log)?;
    Ok((log, folded))
}

/// Gives the log another name than `stale`, unless another process already has. Returns its name.
fn rename_log(ports: &impl Ports, conn: &impl SqlConn, stale: Option<&str>) -> Result<String, ServiceError> {
    gathered_sightings::with_naming_lock(conn, || {
        if let Some(log) = log_name(ports)?.filter(|log| Some(log.as_str()) != stale) {
            return Ok(log);
        }
        let log = ports.new_id().to_string();
        ports.set(LOG, log.as_bytes())?;
        Ok(log)
    })
}

fn log_name(ports: &impl Ports) -> Result<Option<String>, ServiceError> {
    Ok(ports.get(LOG)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Sightings that can be counted.
struct Batch {
    rows: Vec<GatheredRow>,
    /// The last number that the batch covers.
    to: i64,
}

/// Reads the sightings above `folded`, up to `end`. A number without a sighting is skipped only if the
/// sighting after it is older than [`MISSING_SECONDS`].
fn read(ports: &impl Ports, folded: i64, end: i64) -> Result<Batch, ServiceError> {
    let mut batch = Batch { rows: Vec::new(), to: folded };
    let mut is_whole = true;
    for number in folded + 1..=end {
        let Some((stored_at, row)) = ports.get(&key(number))?.and_then(|bytes| parse(&bytes)) else {
            is_whole = false;
            continue;
        };
        if !is_whole && stored_at.is_within(ports.now(), MISSING_SECONDS) {
            return Ok(batch);
        }
        is_whole = true;
        batch.rows.push(row);
        batch.to = number;
    }
    // So many requests cannot all have ended between two calls, so the database is older than the store.
    if batch.rows.is_empty() && end - folded == BATCH {
        batch.to = end;
    }
    Ok(batch)
}

fn key(number: i64) -> String {
    format!("sightings.{number}")
}

/// A sighting as it is stored: the time in milliseconds, a space, and the row as JSON.
fn entry(now: Timestamp, row: &GatheredRow) -> String {
    let row = serde_json::json!(row);
    format!("{} {row}", now.as_millis())
}

/// `None`: not an entry.
fn parse(bytes: &[u8]) -> Option<(Timestamp, GatheredRow)> {
    let (millis, row) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
    Some((Timestamp::from_millis(millis.parse().ok()?), serde_json::from_str(row).ok()?))
}

#[cfg(test)]
mod tests;
