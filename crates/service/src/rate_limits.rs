//! Fixed-window limits, counted in the key-value store.
//!
//! Counters have no expiry there, and keys cannot be listed, so whoever opens a window notes the counter's key in the
//! note book of the hour: `rate.notes.<hour>` counts the notes, `rate.note.<hour>.<n>` holds the keys of one.
//! No window outlives its hour, so once an hour is over [`delete_expired`] deletes what its notes name, and them.
//! Everything lies in the one store that the counters are in; no other has to agree with it.

use spindrift_core::{Timestamp, Window};
use spindrift_web::{ApiError, KeyValueError};

use crate::{Ports, log};

/// The first hour whose notes may be there still.
const OLDEST_HOUR: &str = "rate.oldest-hour";
/// Seconds past its end for which an hour is left alone: longer than a request lives that may still write into it.
const GRACE_SECONDS: i64 = 10 * 60;

/// A limit on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The kind of subject: one letter.
    pub kind: char,
    /// What is counted: `[A-Za-z0-9-]`, at most 64 characters.
    pub subject: String,
    /// By which windows.
    pub window: Window,
    /// Most requests in a window.
    pub max: u64,
    /// Whether a request that is refused for another reason does not count.
    pub refund: bool,
}

impl Limit {
    fn key(&self, now: Timestamp) -> String {
        format!("rate.{}.{}.{}", self.kind, self.subject, self.window.index(now))
    }

    /// Forgets what was counted in the window that `now` is in.
    pub fn reset(&self, ports: &impl Ports, now: Timestamp) {
        if let Err(error) = ports.delete(&self.key(now)) {
            log::warn("a counter was not reset", &error);
        }
    }
}

/// A request that was let in.
#[derive(Debug)]
pub struct Admission {
    refundable: Vec<String>,
}

impl Admission {
    /// Takes the request back where a limit says so: it was not served after all.
    pub fn refund(&self, ports: &impl Ports) {
        for key in &self.refundable {
            if let Err(error) = ports.increment(key, -1) {
                log::warn("a counter was not taken back", &error);
            }
        }
    }
}

/// What happens to a request while the counters cannot be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// It is let in.
    LetIn,
    /// It is a 503.
    Refuse,
}

/// Counts a request against `limits`, in their order; 429 at the first that it is over. A counter that cannot be asked
/// lets the request in.
pub fn admit(ports: &impl Ports, limits: &[Limit], now: Timestamp) -> Result<Admission, ApiError> {
    admit_or(ports, limits, now, Uncounted::LetIn)
}

/// As [`admit`], with a choice of what a counter does that cannot be asked.
pub fn admit_or(
    ports: &impl Ports,
    limits: &[Limit],
    now: Timestamp,
    uncounted: Uncounted,
) -> Result<Admission, ApiError> {
    let mut admission = Admission { refundable: Vec::new() };
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
            refused = Some(ApiError::TooManyRequests { retry_after: limit.window.seconds_left(now) });
            break;
        }
        if limit.refund {
            admission.refundable.push(key);
        }
    }
    if let Err(error) = note(ports, &opened, now) {
        log::warn("counters were not noted for deletion", &error);
    }
    match refused {
        None => Ok(admission),
        Some(error) => {
            admission.refund(ports);
            Err(error)
        }
    }
}

/// Notes the keys of new counters.
fn note(ports: &impl Ports, keys: &[String], now: Timestamp) -> Result<(), KeyValueError> {
    if keys.is_empty() {
        return Ok(());
    }
    let hour = Window::HOUR.index(now);
    let number = ports.increment(&notes_key(hour), 1)?;
    ports.set(&note_key(hour, number), keys.join("\n").as_bytes())?;
    if number == 1 && oldest_hour(ports)?.is_none() {
        // Whoever sets it at the same time may be an hour behind.
        set_oldest_hour(ports, hour - 1)?;
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

/// Deletes counters whose windows are over; answers how many. Stops after about `limit` steps, and goes on from there
/// when called again. One call at a time; safe at any crash.
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

/// Deletes the last note of an hour with all that it names.
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
