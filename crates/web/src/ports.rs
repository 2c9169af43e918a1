//! What handlers need from the platform besides a database and an HTTP client.

use spindrift_core::Timestamp;

/// Why the key-value store did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the key-value store is unavailable: {0}")]
pub struct KeyValueError(pub String);

/// A key-value store. Keys are 1-255 characters of `[A-Za-z0-9._:-]`, values under 400 KB.
pub trait KeyValue {
    /// `Ok(None)`: no such key. `Err`: the store could not be asked.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KeyValueError>;
    /// Sets `key`, replacing what was there.
    fn set(&self, key: &str, value: &[u8]) -> Result<(), KeyValueError>;
    /// Sets `key` if its value is `expected`; whether it was. Atomic.
    fn replace(&self, key: &str, expected: &[u8], value: &[u8]) -> Result<bool, KeyValueError>;
    /// Deletes `key`; deleting an absent one succeeds.
    fn delete(&self, key: &str) -> Result<(), KeyValueError>;
    /// Adds `delta` to a counter that only this method writes, and answers the new value. Atomic.
    fn increment(&self, key: &str, delta: i64) -> Result<i64, KeyValueError>;
}

/// The time.
pub trait Clock {
    /// Now, to the millisecond.
    fn now(&self) -> Timestamp;
}

/// A source of unpredictable bytes.
pub trait Random {
    /// Fills `buffer`.
    fn fill(&self, buffer: &mut [u8]);
}
