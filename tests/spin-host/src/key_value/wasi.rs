//! `wasi:keyvalue` for components: the same stores, with counters, compare-and-swap and batches.

use wasmtime::component::Resource;

use super::{CompareAndSwap, KeyValueStore};
use crate::bindings::wasi_key_value::atomics::{self, CasError};
use crate::bindings::wasi_key_value::batch;
use crate::bindings::wasi_key_value::store::{self, Error, KeyResponse};
use crate::guest::Guest;

type Bucket = Resource<KeyValueStore>;

impl Guest {
    fn bucket(&self, handle: &Bucket) -> Result<&KeyValueStore, Error> {
        self.table.get(handle).map_err(|_| Error::NoSuchStore)
    }

    fn push_cas(&mut self, cas: CompareAndSwap) -> Result<Resource<CompareAndSwap>, Error> {
        self.table.push(cas).map_err(|error| Error::Other(error.to_string()))
    }
}

impl store::Host for Guest {
    fn open(&mut self, identifier: String) -> Result<Bucket, Error> {
        let store = self.services.key_value_stores.get(&identifier).ok_or(Error::AccessDenied)?.clone();
        if self.open_stores >= self.services.limits.open_handles {
            return Err(Error::Other("too many open stores".into()));
        }
        let bucket = self.table.push(store).map_err(|error| Error::Other(error.to_string()))?;
        self.open_stores += 1;
        Ok(bucket)
    }
}

impl store::HostBucket for Guest {
    fn get(&mut self, bucket: Bucket, key: String) -> Result<Option<Vec<u8>>, Error> {
        self.bucket(&bucket)?.get(&key).map_err(Error::Other)
    }

    fn set(&mut self, bucket: Bucket, key: String, value: Vec<u8>) -> Result<(), Error> {
        self.bucket(&bucket)?.set_many(&[(&key, &value)]).map_err(Error::Other)
    }

    fn delete(&mut self, bucket: Bucket, key: String) -> Result<(), Error> {
        self.bucket(&bucket)?.delete_many(&[&key]).map_err(Error::Other)
    }

    fn exists(&mut self, bucket: Bucket, key: String) -> Result<bool, Error> {
        self.bucket(&bucket)?.exists(&key).map_err(Error::Other)
    }

    fn list_keys(&mut self, bucket: Bucket, cursor: Option<String>) -> Result<KeyResponse, Error> {
        // The first page contains all keys, so no cursor is ever returned.
        if cursor.is_some() {
            return Err(Error::Other("unknown cursor".into()));
        }
        let keys = self.bucket(&bucket)?.keys().map_err(Error::Other)?;
        Ok(KeyResponse { keys, cursor: None })
    }

    fn drop(&mut self, bucket: Bucket) -> wasmtime::Result<()> {
        self.table.delete(bucket)?;
        self.open_stores = self.open_stores.saturating_sub(1);
        Ok(())
    }
}

impl atomics::Host for Guest {
    fn increment(&mut self, bucket: Bucket, key: String, delta: i64) -> Result<i64, Error> {
        self.bucket(&bucket)?.increment(&key, delta).map_err(Error::Other)
    }

    fn swap(&mut self, cas: Resource<CompareAndSwap>, value: Vec<u8>) -> Result<(), CasError> {
        let other = |message: String| CasError::StoreError(Error::Other(message));
        let mut cas = self.table.delete(cas).map_err(|error| other(error.to_string()))?;
        if cas.store.swap(&cas.key, cas.seen.as_deref(), &value).map_err(other)? {
            return Ok(());
        }
        cas.seen = cas.store.get(&cas.key).map_err(other)?;
        Err(CasError::CasFailed(self.push_cas(cas).map_err(CasError::StoreError)?))
    }
}

impl atomics::HostCas for Guest {
    fn new(&mut self, bucket: Bucket, key: String) -> Result<Resource<CompareAndSwap>, Error> {
        let store = self.bucket(&bucket)?.clone();
        let seen = store.get(&key).map_err(Error::Other)?;
        self.push_cas(CompareAndSwap { store, key, seen })
    }

    fn current(&mut self, cas: Resource<CompareAndSwap>) -> Result<Option<Vec<u8>>, Error> {
        // `swap` compares with the value that `current` returns.
        let cas = self.table.get_mut(&cas).map_err(|error| Error::Other(error.to_string()))?;
        cas.seen = cas.store.get(&cas.key).map_err(Error::Other)?;
        Ok(cas.seen.clone())
    }

    fn drop(&mut self, cas: Resource<CompareAndSwap>) -> wasmtime::Result<()> {
        self.table.delete(cas)?;
        Ok(())
    }
}

impl batch::Host for Guest {
    /// Keys that do not exist are omitted, as in Spin's local store.
    fn get_many(
        &mut self,
        bucket: Bucket,
        keys: Vec<String>,
    ) -> Result<Vec<(String, Option<Vec<u8>>)>, Error> {
        let store = self.bucket(&bucket)?;
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            if let Some(value) = store.get(&key).map_err(Error::Other)? {
                found.push((key, Some(value)));
            }
        }
        Ok(found)
    }

    fn set_many(&mut self, bucket: Bucket, pairs: Vec<(String, Vec<u8>)>) -> Result<(), Error> {
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (key.as_str(), value.as_slice())).collect();
        self.bucket(&bucket)?.set_many(&pairs).map_err(Error::Other)
    }

    fn delete_many(&mut self, bucket: Bucket, keys: Vec<String>) -> Result<(), Error> {
        let keys: Vec<_> = keys.iter().map(String::as_str).collect();
        self.bucket(&bucket)?.delete_many(&keys).map_err(Error::Other)
    }
}
