//! Interfaces to the platform that handlers need, besides a database and an HTTP client.

use std::sync::Arc;

use spindrift_core::Timestamp;

/// The reasons why the key-value store failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyValueError {
    /// The store could not be reached, or answered with an error.
    #[error("the key-value store is unavailable: {0}")]
    Failed(String),
    /// The host's limit of simultaneous calls is reached.
    #[error("the key-value store has too many calls at the same time")]
    TooMany,
}

/// A key-value store. Keys are 1-255 characters of `[A-Za-z0-9._:-]`, values under 400 KB.
pub trait KeyValue {
    /// `Ok(None)`: no such key. `Err`: the store failed.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KeyValueError>;
    /// Sets `key`, replacing any existing value.
    fn set(&self, key: &str, value: &[u8]) -> Result<(), KeyValueError>;
    /// Sets `key` if its value is `expected`, and returns whether it did. Atomic.
    fn replace(&self, key: &str, expected: &[u8], value: &[u8]) -> Result<bool, KeyValueError>;
    /// Deletes `key`. Deleting a key that does not exist succeeds.
    fn delete(&self, key: &str) -> Result<(), KeyValueError>;
    /// Adds `delta` to a counter that only this method writes, and returns the new value. Atomic.
    fn increment(&self, key: &str, delta: i64) -> Result<i64, KeyValueError>;
}

/// A clock.
pub trait Clock {
    /// Now, to the millisecond.
    fn now(&self) -> Timestamp;
}

/// The kind of deployment that a component was built for.
pub trait Deployment {
    /// Whether it is an edge, which has an origin instead of a database.
    fn is_edge(&self) -> bool;
}

/// How long an instance of a component lives. By default it answers one request, remembers nothing, and ends
/// once that is done.
pub trait Lifetime {
    /// The value that was passed to [`Lifetime::remember`] for `key` and this type: at most half a second ago,
    /// or since `key` last changed in a key-value store whose changes the platform sees.
    fn remembered<T: Send + Sync + 'static>(&self, _key: &str) -> Option<Arc<T>> {
        None
    }

    /// Remembers a value of `size` bytes, until this instance changes `key` in the key-value store. So a
    /// value that is derived from a remembered one, and remembered in turn, is at most a second old.
    fn remember<T: Send + Sync + 'static>(&self, _key: &str, _size: usize, _value: &Arc<T>) {}

    /// Whether the instance has answered other requests.
    fn is_reused(&self) -> bool {
        false
    }

    /// Whether other requests may wait while this instance works.
    fn is_shared(&self) -> bool {
        false
    }

    /// Runs work that may wait for a lock or a disk. A platform that uses one thread for many requests runs
    /// it on another one.
    fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> impl Future<Output = T>
    where
        Self: Sized,
    {
        std::future::ready(work(self))
    }

    /// Waits while other requests may leave work that can be done together with the work of this one. Returns
    /// whether the instance answered any.
    fn gather(&self) -> impl Future<Output = bool> {
        std::future::ready(false)
    }
}

/// A source of unpredictable bytes.
pub trait Random {
    /// Fills `buffer`.
    fn fill(&self, buffer: &mut [u8]);
}
