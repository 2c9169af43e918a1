//! The key-value store, through `wasi:keyvalue`, because no other interface has atomic counters.

use std::cell::OnceCell;

use spindrift_web::{KeyValue, KeyValueError};

use crate::SpinPlatform;
use crate::bindings::wasi::keyvalue::atomics::{self, Cas, CasError};
use crate::bindings::wasi::keyvalue::store;
use crate::form::memory;

const STORE: &str = "default";
/// Spin's error text for a call that would exceed its limit of simultaneous calls.
const TOO_MANY: &str = "too many requests";

thread_local! {
    /// The store, once it is open. It lasts as long as the instance.
    static OPEN: OnceCell<store::Bucket> = const { OnceCell::new() };
}

impl<const IS_EDGE: bool> SpinPlatform<IS_EDGE> {
    fn with_store<T>(
        &self,
        work: impl FnOnce(&store::Bucket) -> Result<T, store::Error>,
    ) -> Result<T, KeyValueError> {
        if let Some(error) = self.store_failure.get() {
            return Err(error.clone());
        }
        OPEN.with(|open| match open.get() {
            Some(store) => work(store),
            None => store::open(STORE).and_then(|store| work(open.get_or_init(|| store))),
        })
        .map_err(|error| self.note_failure(error))
    }

    fn note_failure(&self, error: store::Error) -> KeyValueError {
        let error = match error {
            store::Error::NoSuchStore => KeyValueError::Failed("no such store".to_owned()),
            store::Error::AccessDenied => KeyValueError::Failed("access denied".to_owned()),
            store::Error::Other(message) if message == TOO_MANY => KeyValueError::TooMany,
            store::Error::Other(message) => KeyValueError::Failed(message),
        };
        self.store_failure.get_or_init(|| error).clone()
    }
}

impl<const IS_EDGE: bool> KeyValue for SpinPlatform<IS_EDGE> {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        self.with_store(|store| store.get(key))
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<(), KeyValueError> {
        memory::forget(key);
        self.with_store(|store| store.set(key, value))
    }

    /// Only replaces an existing value: Spin's swap of an absent value is not atomic with its local store.
    fn replace(&self, key: &str, expected: &[u8], value: &[u8]) -> Result<bool, KeyValueError> {
        memory::forget(key);
        let cas = self.with_store(|store| Cas::new(store, key))?;
        if cas.current().map_err(|error| self.note_failure(error))?.as_deref() != Some(expected) {
            return Ok(false);
        }
        match atomics::swap(cas, value) {
            Ok(()) => Ok(true),
            Err(CasError::CasFailed(_)) => Ok(false),
            Err(CasError::StoreError(error)) => Err(self.note_failure(error)),
        }
    }

    fn delete(&self, key: &str) -> Result<(), KeyValueError> {
        memory::forget(key);
        self.with_store(|store| store.delete(key))
    }

    fn increment(&self, key: &str, delta: i64) -> Result<i64, KeyValueError> {
        self.with_store(|store| atomics::increment(store, key, delta))
    }
}
