//! Sightings of devices, and downloads, that wait in the key-value store to be counted together.
//!
//! An instance that answers one request has nobody to share a write to the database with. So it takes the next number
//! (`sightings.next`) and stores its sighting under that (`sightings.<number>`). A request that finds that nothing else
//! waits (`sightings.counted`) gathers for a moment and counts all that wait, until nothing does. Maintenance and
//! readers of figures do so once. The transaction that counts also moves the number up to which the log is counted, so
//! each sighting is counted once (`docs/adr/0044-sightings-are-gathered.md`).

use spindrift_core::Timestamp;
use spindrift_db::gathered_sightings::GatheredRow;
use spindrift_db::{SqlConn, gathered_sightings};
use spindrift_settings::TELEMETRY_GATHERED;

use super::seen::{Countable, device_hash_key};
use crate::{Ports, ServiceError};

/// How long counting is tried again while it gets nowhere, as with a locked database, in seconds. No caller waits for
/// it.
pub(super) const PATIENCE_SECONDS: i64 = 30;
/// The last number that was given.
const NEXT: &str = "sightings.next";
/// The last number that was counted, to know without the database whether others wait.
const COUNTED: &str = "sightings.counted";
/// The name of this log. Gone, if the store was emptied; then the numbers begin again.
const LOG: &str = "sightings.log";
/// A request whose number this divides counts too: the one that should may have ended.
const ROUND: i64 = 4096;
/// Most sightings that one transaction counts.
const BATCH: i64 = 1024;
/// Most transactions of one call; the next call goes on.
const MAX_BATCHES: usize = 64;
/// Most devices that wait, which takes some 300 MB. If the database cannot be written for so long, the others are lost.
const MAX_WAITING: i64 = 1_000_000;
/// Seconds after which a number without a sighting is passed over. Its request has ended between two calls.
const MISSING_SECONDS: i64 = 10;

/// Leaves a request's device and download to be counted, and counts all that wait if nobody else is about to. `false`: devices
/// are not gathered, or the service hashes with its own key, which is in the database.
///
/// # Errors
/// The store failed, and not all of it waits.
pub(super) async fn keep(ports: &impl Ports, of_request: &[Countable]) -> Result<bool, ServiceError> {
    if !TELEMETRY_GATHERED.read(ports)? {
        return Ok(false);
    }
    let Some(hash_key) = device_hash_key(ports)? else { return Ok(false) };
    let (mut is_first, mut is_round) = (false, false);
    for row in of_request.iter().filter_map(|countable| countable.row(&hash_key)) {
        let number = ports.increment(NEXT, 1)?;
        let waiting = counted(ports)?.map(|counted| number - counted);
        if waiting.is_none_or(|waiting| waiting <= MAX_WAITING) {
            ports.set(&key(number), entry(ports.now(), &row).as_bytes())?;
        }
        // A new store has counted nothing.
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

/// Counts the devices that wait and those that come meanwhile, again and again. Under load this goes on as long as
/// devices come. It ends when nothing moves: the database fails, or the last number is one of a request that has ended
/// in between.
async fn count_until_none_waits(ports: &impl Ports) {
    let mut moved = (ports.now(), None);
    loop {
        ports.gather().await;
        let result = count_now(ports);
        if matches!(result, Ok(true)) {
            return;
        }
        match counted(ports) {
            Ok(position) if position != moved.1 => moved = (ports.now(), position),
            _ if moved.0.is_within(ports.now(), PATIENCE_SECONDS) => {}
            _ => return warn_of(result),
        }
    }
}

/// Counts the devices that wait, if devices are gathered. If that fails, they go on waiting, and the failure is logged.
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
            Counted::Some => {}
            Counted::All => return Ok(true),
            Counted::NoMore => return Ok(false),
        }
    }
    Ok(false)
}

/// The sightings left after a batch.
enum Counted {
    /// Nothing.
    All,
    /// Others, which can be counted now.
    Some,
    /// Others, whose requests are not done yet, or which another process counts.
    NoMore,
}

fn count_batch(ports: &impl Ports, conn: &impl SqlConn) -> Result<Counted, ServiceError> {
    let (log, folded) = position(ports, conn)?;
    // Read after the position: a number is given before it is counted, so others who count meanwhile leave this true.
    let last = ports.increment(NEXT, 0)?;
    if folded > last {
        // The store was set back, and gives numbers again.
        named(ports, conn, Some(&log))?;
        return Ok(Counted::Some);
    }
    let end = last.min(folded + BATCH);
    let batch = read(ports, folded, end)?;
    if batch.to > folded {
        if !gathered_sightings::fold(conn, &log, folded, batch.to, batch.rows)? {
            return Ok(Counted::NoMore);
        }
        for number in folded + 1..=batch.to {
            ports.delete(&key(number))?;
        }
    }
    if counted(ports)? != Some(batch.to) {
        ports.set(COUNTED, batch.to.to_string().as_bytes())?;
    }
    // Read again: a request that got a number before the last line was written did not find that nothing else waits.
    Ok(match ports.increment(NEXT, 0)? {
        last if last == batch.to => Counted::All,
        _ if batch.to == end => Counted::Some,
        _ => Counted::NoMore,
    })
}

/// The last number that was counted. `None`: the store does not know.
fn counted(ports: &impl Ports) -> Result<Option<i64>, ServiceError> {
    Ok(ports.get(COUNTED)?.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()))
}

/// The log's name, and up to which number it is counted.
fn position(ports: &impl Ports, conn: &impl SqlConn) -> Result<(String, i64), ServiceError> {
    let log = match name(ports)? {
        Some(log) => log,
        None => named(ports, conn, None)?,
    };
    let folded = gathered_sightings::folded(conn, &log)?;
    Ok((log, folded))
}

/// Gives the log another name than `stale`, unless somebody else has. Returns its name.
fn named(ports: &impl Ports, conn: &impl SqlConn, stale: Option<&str>) -> Result<String, ServiceError> {
    gathered_sightings::naming(conn, || {
        if let Some(log) = name(ports)?.filter(|log| Some(log.as_str()) != stale) {
            return Ok(log);
        }
        let log = ports.new_id().to_string();
        ports.set(LOG, log.as_bytes())?;
        Ok(log)
    })
}

fn name(ports: &impl Ports) -> Result<Option<String>, ServiceError> {
    Ok(ports.get(LOG)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Sightings that can be counted.
struct Batch {
    rows: Vec<GatheredRow>,
    /// The last number that is dealt with.
    to: i64,
}

/// Reads what is stored above `folded`, up to `end`, as far as nothing younger than a number without a sighting is
/// passed.
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
