//! The key-value store. `wasi:keyvalue`, because only it has atomic counters.

use spin_sdk::wit::wasi::keyvalue::{atomics, store};
use spindrift_web::{KeyValue, KeyValueError};

use crate::SpinPlatform;

const STORE: &str = "default";

fn open() -> Result<store::Bucket, KeyValueError> {
    store::open(STORE).map_err(failed)
}

fn failed(error: store::Error) -> KeyValueError {
    KeyValueError(match error {
        store::Error::NoSuchStore => "no such store".to_owned(),
        store::Error::AccessDenied => "access denied".to_owned(),
        store::Error::Other(message) => message,
    })
}

impl KeyValue for SpinPlatform {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        open()?.get(key).map_err(failed)
    }

    fn set(&self, key: &str, value: &[u8]) -> Result<(), KeyValueError> {
        open()?.set(key, value).map_err(failed)
    }

    fn delete(&self, key: &str) -> Result<(), KeyValueError> {
        open()?.delete(key).map_err(failed)
    }

    fn increment(&self, key: &str, delta: i64) -> Result<i64, KeyValueError> {
        atomics::increment(&open()?, key, delta).map_err(failed)
    }
}
