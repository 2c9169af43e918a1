//! Fixed-window rate limits, counted in the key-value store.
//!
//! The store has no expiry, and its keys cannot be listed. So an admitted request that opens windows writes a
//! note with the keys of the new counters: `rate.notes.<hour>` is the number of notes of an hour,
//! `rate.note.<hour>.<n>` holds the keys of one note. No window is longer than an hour, so when an hour has
//! ended, [`delete_expired`] deletes its notes and the counters they list. [`delete_at`] leaves such a note
//! for a later hour. All of this is in the store of the counters, so no other store has to be consistent with
//! it.

use spindrift_core::{ClientAddress, Timestamp, Window};
use spindrift_web::KeyValueError;

use crate::{Ports, ServiceError, log};

/// The first hour that may still have notes.
const OLDEST_HOUR: &str = "rate.oldest-hour";
/// Seconds after its end before an hour is cleaned up: longer than any request that may still write to it.
const GRACE_SECONDS: i64 = 10 * 60;

/// A limit on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    /// The kind of subject: one letter.
    pub kind: char,
    /// The subject: `[A-Za-z0-9-]`, at most 64 characters.
    pub subject: String,
    pub window: Window,
    /// Maximum number of requests in a window, at least 1.
    pub max: u64,
    /// Whether [`AdmittedRequest::refund`] uncounts the request.
    pub refund: bool,
}

/// How many times the failures of one address the network around it may have. It bounds the counters that one
/// client can open.
const NETWORK_FACTOR: u64 = 10;
/// The subject for all requests without an address from the host.
const NO_ADDRESS: &str = "unknown";

/// The limits on failed logins, and on failed attempts like them, of an address and of the network around it:
/// `max` for the address in a quarter of an hour. A request is counted before it is known whether it fails,
/// so that parallel ones gain nothing.
pub fn failed_attempts(address: Option<ClientAddress>, max: u64) -> Vec<RateLimit> {
    let limit =
        |kind, subject, max| RateLimit { kind, subject, window: Window::QUARTER_HOUR, max, refund: true };
    let subject = address.map_or_else(|| NO_ADDRESS.to_owned(), ClientAddress::subject);
    let of_network = address.and_then(ClientAddress::network);
    let of_network = of_network.map(|network| limit('n', network, max * NETWORK_FACTOR));
    [limit('a', subject, max)].into_iter().chain(of_network).collect()
}

impl RateLimit {
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
pub struct AdmittedRequest {
    refundable: Vec<String>,
}

impl AdmittedRequest {
    /// Uncounts the request, for limits with `refund`, because it was not served after all.
    pub fn refund(&self, ports: &impl Ports) {
        for key in &self.refundable {
            uncount(ports, key);
        }
    }
}

/// How a request is handled if the store fails to count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnCounterFailure {
    /// The request is admitted.
    Admit,
    /// The request is refused.
    Refuse,
}

/// A request that is being counted. Unless [`Counting::admit`] is called, the request counts as refused:
/// dropping this value uncounts it and deletes the counters that it has opened, so that refused requests
/// cannot fill the store.
pub struct Counting<'a, P: Ports> {
    ports: &'a P,
    now: Timestamp,
    on_failure: OnCounterFailure,
    counted: Vec<CountedLimit>,
}

/// A limit that has counted the request.
struct CountedLimit {
    key: String,
    /// Whether the request has opened the window.
    is_new: bool,
    refund: bool,
}

/// Counts a request against `limits`, in order. Fails at the first one that is exceeded. A refused request is
/// uncounted in the limits before that one, and does not reach those after it.
pub fn admit(
    ports: &impl Ports,
    limits: &[RateLimit],
    now: Timestamp,
    on_failure: OnCounterFailure,
) -> Result<AdmittedRequest, ServiceError> {
    let mut counting = Counting::new(ports, now, on_failure);
    counting.count(limits)?;
    Ok(counting.admit())
}

impl<'a, P: Ports> Counting<'a, P> {
    /// A request that no limit has counted.
    pub const fn new(ports: &'a P, now: Timestamp, on_failure: OnCounterFailure) -> Self {
        Self { ports, now, on_failure, counted: Vec::new() }
    }

    /// Counts the request against `limits`, in order. Fails at the first one that is exceeded, and the
    /// request is refused.
    pub fn count(&mut self, limits: &[RateLimit]) -> Result<(), ServiceError> {
        for limit in limits {
            let key = limit.key(self.now);
            match self.ports.increment(&key, 1) {
                Ok(count) if u64::try_from(count).is_ok_and(|count| count > limit.max) => {
                    return Err(ServiceError::TooManyRequests {
                        retry_after: limit.window.seconds_left(self.now),
                    });
                }
                Ok(count) => {
                    self.counted.push(CountedLimit { key, is_new: count == 1, refund: limit.refund });
                }
                Err(error) if self.on_failure == OnCounterFailure::Refuse => return Err(error.into()),
                Err(error) => log::warn("a request was not counted", &error),
            }
        }
        Ok(())
    }

    /// Admits the request: it stays counted.
    pub fn admit(mut self) -> AdmittedRequest {
        let counted = std::mem::take(&mut self.counted);
        let opened = counted.iter().filter(|counted| counted.is_new).map(|counted| counted.key.clone());
        self.note(&opened.collect::<Vec<_>>());
        let refundable = counted.into_iter().filter(|counted| counted.refund).map(|counted| counted.key);
        AdmittedRequest { refundable: refundable.collect() }
    }

    fn note(&self, opened: &[String]) {
        if let Err(error) = note(self.ports, opened, self.now, self.now) {
            log::warn("counters were not noted for deletion", &error);
        }
    }
}

impl<P: Ports> Drop for Counting<'_, P> {
    fn drop(&mut self) {
        let counted = std::mem::take(&mut self.counted);
        let mut left = Vec::new();
        for CountedLimit { key, is_new, .. } in counted {
            // A request that is counted between the two calls is lost, which admits one request too many.
            let is_left = match uncount(self.ports, &key) {
                Some(0) if is_new => self.ports.delete(&key).is_err(),
                _ => is_new,
            };
            if is_left {
                left.push(key);
            }
        }
        self.note(&left);
    }
}

/// The new count. `None`: the store failed.
fn uncount(ports: &impl Ports, key: &str) -> Option<i64> {
    let count = ports.increment(key, -1);
    count.inspect_err(|error| log::warn("a counter was not taken back", error)).ok()
}

/// Schedules the deletion of a key for `at`.
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

/// Deletes counters whose windows have ended; returns how many. Stops after about `limit` steps; the next
/// call continues from there. Run one call at a time. A crash at any point is safe.
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
