//! The key-value store, through `wasi:keyvalue`, because only that interface has atomic counters.

use std::cell::{OnceCell, RefCell};

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
    /// The first failure of the store. A call to an unresponsive store takes as long as the host allows, so in one
    /// request it is not repeated.
    static FAILED: RefCell<Option<KeyValueError>> = const { RefCell::new(None) };
}

fn with_store<T>(work: impl FnOnce(&store::Bucket) -> Result<T, store::Error>) -> Result<T, KeyValueError> {
    if let Some(error) = FAILED.with_borrow(Clone::clone) {
        return Err(error);
    }
    OPEN.with(|open| match open.get() {
        Some(store) => work(store),
        None => store::open(STORE).and_then(|store| work(open.get_or_init(|| store))),
    })
    .map_err(failed)
}

fn failed(error: store::Error) -> KeyValueError {
    let error = match error {
        store::Error::NoSuchStore => KeyValueError::Failed("no such store".to_owned()),
        store::Error::AccessDenied => KeyValueError::Failed("access denied".to_owned()),
        store::Error::Other(message) if message == TOO_MANY => KeyValueError::TooMany,
        store::Error::Other(message) => KeyValueError::Failed(message),
    };
    FAILED.set(Some(error.clone()));
    error
}

/// A failure counts for one request.
#[cfg(feature = "preview3")]
pub(crate) fn forget_failure() {
    FAILED.set(None);
}

impl KeyValue for SpinPlatform {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        with_store(|store| store.get(key))
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<(), KeyValueError> {
        memory::forget(key);
        with_store(|store| store.set(key, value))
    }

    /// Only replaces an existing value: Spin's swap of an absent value is not atomic with its local store.
    fn replace(&self, key: &str, expected: &[u8], value: &[u8]) -> Result<bool, KeyValueError> {
        memory::forget(key);
        let cas = with_store(|store| Cas::new(store, key))?;
        if cas.current().map_err(failed)?.as_deref() != Some(expected) {
            return Ok(false);
        }
        match atomics::swap(cas, value) {
            Ok(()) => Ok(true),
            Err(CasError::CasFailed(_)) => Ok(false),
            Err(CasError::StoreError(error)) => Err(failed(error)),
        }
    }

    fn delete(&self, key: &str) -> Result<(), KeyValueError> {
        memory::forget(key);
        with_store(|store| store.delete(key))
    }

    fn increment(&self, key: &str, delta: i64) -> Result<i64, KeyValueError> {
        with_store(|store| atomics::increment(store, key, delta))
    }
}
