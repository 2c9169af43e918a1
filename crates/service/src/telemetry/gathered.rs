//! Sightings of devices that wait in the key-value store, to be counted together.
//!
//! An instance that answers one request has nobody to share a write to the database with. So it takes the next number
//! (`sightings.next`) and stores its sighting under that (`sightings.<number>`). Whoever gets every 256th number
//! counts all that wait, and so do maintenance and whoever reads figures. The transaction that counts also moves the number
//! up to which the log is counted, so each sighting is counted once (`docs/adr/0044-sightings-are-gathered.md`).

use spindrift_core::{Day, Timestamp};
use spindrift_db::telemetry::SightingRow;
use spindrift_db::{SqlConn, gathered_sightings};
use spindrift_settings::TELEMETRY_GATHERED;

use super::seen::{Seen, device_hash_key};
use crate::{Failure, Ports};

/// The last number that was given.
const NEXT: &str = "sightings.next";
/// The name of this log. Gone, if the store was emptied; then the numbers begin again.
const LOG: &str = "sightings.log";
/// Sightings that are counted together, if nobody counts them earlier.
const ROUND: i64 = 256;
/// Most sightings that one transaction counts.
const BATCH: i64 = 1024;
/// Most transactions of one call; the next call goes on.
const MAX_BATCHES: usize = 64;
/// Seconds after which a number without a sighting is passed over. Its request has ended between two calls.
const MISSING_SECONDS: i64 = 10;

/// Leaves a device to be counted. `false`: devices are not gathered, or the service hashes with its own key, which is in
/// the database.
///
/// # Errors
/// The store failed, and the device does not wait.
pub(super) fn keep(ports: &impl Ports, seen: &Seen, day: Day) -> Result<bool, Failure> {
    if !TELEMETRY_GATHERED.read(ports)? {
        return Ok(false);
    }
    let Some(sighting) = device_hash_key(ports)?.and_then(|key| seen.hashed(&key, day)) else {
        return Ok(false);
    };
    let number = ports.increment(NEXT, 1)?;
    ports.set(&key(number), entry(ports.now(), &sighting.row()).as_bytes())?;
    if number % ROUND == 0 {
        match spindrift_db::open(ports, ports.now()).map_err(Failure::from) {
            Ok(conn) => count(ports, &conn),
            Err(failure) => crate::log::warn(UNCOUNTED, &failure),
        }
    }
    Ok(true)
}

const UNCOUNTED: &str = "gathered devices were not counted";

/// Counts the devices that wait, if devices are gathered. If that fails, they go on waiting, and the failure is logged.
pub fn count(ports: &impl Ports, conn: &impl SqlConn) {
    if let Err(failure) = count_batches(ports, conn) {
        crate::log::warn(UNCOUNTED, &failure);
    }
}

fn count_batches(ports: &impl Ports, conn: &impl SqlConn) -> Result<(), Failure> {
    if !TELEMETRY_GATHERED.read(ports)? {
        return Ok(());
    }
    for _ in 0..MAX_BATCHES {
        if !count_batch(ports, conn)? {
            break;
        }
    }
    Ok(())
}

/// Counts a batch. `Ok(false)`: no more can be counted now.
fn count_batch(ports: &impl Ports, conn: &impl SqlConn) -> Result<bool, Failure> {
    let (log, folded) = position(ports, conn)?;
    // Read after the position: a number is given before it is counted, so others who count meanwhile leave this true.
    let last = ports.increment(NEXT, 0)?;
    if folded > last {
        // The store was set back, and gives numbers again.
        named(ports, conn, Some(&log))?;
        return Ok(true);
    }
    let end = last.min(folded + BATCH);
    let batch = read(ports, folded, end)?;
    if batch.to == folded || !gathered_sightings::fold(conn, &log, (folded, batch.to), &batch.rows)? {
        return Ok(false);
    }
    for number in folded + 1..=batch.to {
        ports.delete(&key(number))?;
    }
    Ok(batch.to == end && end < last)
}

/// The log's name, and up to which number it is counted.
fn position(ports: &impl Ports, conn: &impl SqlConn) -> Result<(String, i64), Failure> {
    let log = match name(ports)? {
        Some(log) => log,
        None => named(ports, conn, None)?,
    };
    let folded = gathered_sightings::folded(conn, &log)?;
    Ok((log, folded))
}

/// Gives the log another name than `stale`, unless somebody else has. Returns its name.
fn named(ports: &impl Ports, conn: &impl SqlConn, stale: Option<&str>) -> Result<String, Failure> {
    gathered_sightings::naming(conn, || {
        if let Some(log) = name(ports)?.filter(|log| Some(log.as_str()) != stale) {
            return Ok(log);
        }
        let log = ports.new_id().to_string();
        ports.set(LOG, log.as_bytes())?;
        Ok(log)
    })
}

fn name(ports: &impl Ports) -> Result<Option<String>, Failure> {
    Ok(ports.get(LOG)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Sightings that can be counted.
struct Batch {
    rows: Vec<SightingRow>,
    /// The last number that is dealt with.
    to: i64,
}

/// Reads what is stored above `folded`, up to `end`, as far as nothing younger than a number without a sighting is passed.
fn read(ports: &impl Ports, folded: i64, end: i64) -> Result<Batch, Failure> {
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
    // So many requests do not end at once between two calls: the database is older than the store.
    if batch.rows.is_empty() && end - folded == BATCH {
        batch.to = end;
    }
    Ok(batch)
}

fn key(number: i64) -> String {
    format!("sightings.{number}")
}

/// A sighting as it is stored: the time in milliseconds, a space, and the row as JSON.
fn entry(now: Timestamp, row: &SightingRow) -> String {
    let row = serde_json::json!(row);
    format!("{} {row}", now.as_millis())
}

/// `None`: not an entry.
fn parse(bytes: &[u8]) -> Option<(Timestamp, SightingRow)> {
    let (millis, row) = std::str::from_utf8(bytes).ok()?.split_once(' ')?;
    Some((Timestamp::from_millis(millis.parse().ok()?), serde_json::from_str(row).ok()?))
}

#[cfg(test)]
mod tests;
