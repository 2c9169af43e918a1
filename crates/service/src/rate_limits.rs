//! Fixed-window rate limits, counted in the key-value store.
//!
//! The store has no expiry, and its keys cannot be listed. So a request that opens windows writes a note with the keys
//! of the new counters: `rate.notes.<hour>` is the number of notes of an hour, `rate.note.<hour>.<n>` holds the keys of
//! one note. No window is longer than an hour, so when an hour has ended, [`delete_expired`] deletes its notes and the
//! counters they list. [`delete_at`] leaves such a note for a later hour. All of this is in the store of the counters, so no
//! other store has to be consistent with it.

use spindrift_core::{Timestamp, Window};
use spindrift_web::KeyValueError;

use crate::{Ports, ServiceError, log};

/// The first hour that may still have notes.
const OLDEST_HOUR: &str = "rate.oldest-hour";
/// Seconds after its end before an hour is cleaned up: longer than any request that may still write to it.
const GRACE_SECONDS: i64 = 10 * 60;

/// A limit on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The kind of subject: one letter.
    pub kind: char,
    /// The subject: `[A-Za-z0-9-]`, at most 64 characters.
    pub subject: String,
    /// The window.
    pub window: Window,
    /// Most requests in a window.
    pub max: u64,
    /// Whether [`Admission::refund`] uncounts the request.
    pub refund: bool,
}

impl Limit {
    fn key(&self, now: Timestamp) -> String {
        format!("rate.{}.{}.{}", self.kind, self.subject, self.window.index(now))
    }

    /// Resets the counter of the window that contains `now`.
    pub fn reset(&self, ports: &impl Ports, now: Timestamp) {
        if let Err(error) = ports.delete(&self.key(now)) {
            log::warn("a counter was not reset", &error);
        }
    }
}

/// An admitted request.
#[derive(Debug)]
pub struct Admission {
    refundable: Vec<String>,
}

impl Admission {
    /// Uncounts the request, for limits with `refund`, because it was not served after all.
    pub fn refund(&self, ports: &impl Ports) {
        uncount(ports, self.refundable.iter());
    }
}

fn uncount<'a>(ports: &impl Ports, keys: impl Iterator<Item = &'a String>) {
    for key in keys {
        if let Err(error) = ports.increment(key, -1) {
            log::warn("a counter was not taken back", &error);
        }
    }
}

/// The handling of a request if a counter is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// The request is admitted.
    LetIn,
    /// The request is refused.
    Refuse,
}

/// Counts a request against `limits`, in order. An error at the first exceeded one. A refused request is uncounted in
/// the limits before that one, and does not reach those after it.
pub fn admit(
    ports: &impl Ports,
    limits: &[Limit],
    now: Timestamp,
    uncounted: Uncounted,
) -> Result<Admission, ServiceError> {
    let mut counted: Vec<(String, bool)> = Vec::new();
    let mut opened = Vec::new();
    let mut refused = None;
    for limit in limits {
        let key = limit.key(now);
        let count = match ports.increment(&key, 1) {
            Ok(count) => count,
            Err(error) if uncounted == Uncounted::Refuse => {
                refused = Some(error.into());
                break;
            }
            Err(error) => {
                log::warn("a request was not counted", &error);
                continue;
            }
        };
        if count == 1 {
            opened.push(key.clone());
        }
        if u64::try_from(count).is_ok_and(|count| count > limit.max) {
            refused = Some(ServiceError::TooManyRequests { retry_after: limit.window.seconds_left(now) });
            break;
        }
        counted.push((key, limit.refund));
    }
    if let Err(error) = note(ports, &opened, now, now) {
        log::warn("counters were not noted for deletion", &error);
    }
    match refused {
        None => {
            let refundable = counted.into_iter().filter_map(|(key, refund)| refund.then_some(key)).collect();
            Ok(Admission { refundable })
        }
        Some(error) => {
            uncount(ports, counted.iter().map(|(key, _)| key));
            Err(error)
        }
    }
}

/// Has a key deleted once this time has come.
pub fn delete_at(ports: &impl Ports, key: &str, at: Timestamp, now: Timestamp) -> Result<(), KeyValueError> {
    note(ports, &[key.to_owned()], at.max(now), now)
}

/// Writes a note with the keys of values that may be deleted after the hour of `at`.
fn note(ports: &impl Ports, keys: &[String], at: Timestamp, now: Timestamp) -> Result<(), KeyValueError> {
    if keys.is_empty() {
        return Ok(());
    }
    let hour = Window::HOUR.index(at);
    let number = ports.increment(&notes_key(hour), 1)?;
    ports.set(&note_key(hour, number), keys.join("\n").as_bytes())?;
    if number == 1 && oldest_hour(ports)?.is_none() {
        // A concurrent request that sets it may be in the previous hour.
        set_oldest_hour(ports, Window::HOUR.index(now) - 1)?;
    }
    Ok(())
}

fn notes_key(hour: i64) -> String {
    format!("rate.notes.{hour}")
}

fn note_key(hour: i64, number: i64) -> String {
    format!("rate.note.{hour}.{number}")
}

fn oldest_hour(ports: &impl Ports) -> Result<Option<i64>, KeyValueError> {
    Ok(ports.get(OLDEST_HOUR)?.and_then(|bytes| std::str::from_utf8(&bytes).ok()?.parse().ok()))
}

fn set_oldest_hour(ports: &impl Ports, hour: i64) -> Result<(), KeyValueError> {
    ports.set(OLDEST_HOUR, hour.to_string().as_bytes())
}

/// Deletes counters whose windows have ended; returns how many. Stops after about `limit` steps; the next call
/// continues from there. Run one call at a time. A crash at any point is safe.
pub fn delete_expired(ports: &impl Ports, now: Timestamp, limit: u64) -> Result<u64, KeyValueError> {
    let Some(oldest) = oldest_hour(ports)? else { return Ok(0) };
    let current = Window::HOUR.index(now.plus_seconds(-GRACE_SECONDS));
    let (mut hour, mut steps, mut deleted) = (oldest, 0, 0);
    while hour < current && steps < limit {
        let notes = ports.increment(&notes_key(hour), 0)?;
        steps += 1;
        if notes > 0 {
            deleted += delete_note(ports, hour, notes)?;
        } else {
            ports.delete(&notes_key(hour))?;
            hour += 1;
        }
    }
    if hour != oldest {
        set_oldest_hour(ports, hour)?;
    }
    Ok(deleted)
}

/// Deletes the last note of an hour and the counters that it lists.
fn delete_note(ports: &impl Ports, hour: i64, number: i64) -> Result<u64, KeyValueError> {
    let key = note_key(hour, number);
    let mut deleted = 0;
    if let Some(bytes) = ports.get(&key)? {
        for counter in String::from_utf8_lossy(&bytes).lines() {
            ports.delete(counter)?;
            deleted += 1;
        }
        ports.delete(&key)?;
    }
    ports.increment(&notes_key(hour), -1)?;
    Ok(deleted)
}
