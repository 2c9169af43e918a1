//! `fermyon:spin/key-value` for components.

use wasmtime::component::Resource;

use super::KeyValueStore;
use crate::bindings::key_value::{Error, Host, HostStore};
use crate::guest::Guest;

impl Host for Guest {}

impl Guest {
    fn store(&self, handle: &Resource<KeyValueStore>) -> Result<&KeyValueStore, Error> {
        self.table.get(handle).map_err(|error| Error::Other(error.to_string()))
    }
}

impl HostStore for Guest {
    fn open(&mut self, label: String) -> Result<Resource<KeyValueStore>, Error> {
        let store = self.services.key_value_stores.get(&label).ok_or(Error::AccessDenied)?.clone();
        if self.open_stores >= self.services.limits.open_handles {
            return Err(Error::StoreTableFull);
        }
        let handle = self.table.push(store).map_err(|_| Error::StoreTableFull)?;
        self.open_stores += 1;
        Ok(handle)
    }

    fn get(&mut self, store: Resource<KeyValueStore>, key: String) -> Result<Option<Vec<u8>>, Error> {
        self.store(&store)?.get(&key).map_err(Error::Other)
    }

    fn set(&mut self, store: Resource<KeyValueStore>, key: String, value: Vec<u8>) -> Result<(), Error> {
        self.store(&store)?.set_many(&[(&key, &value)]).map_err(Error::Other)
    }

    fn delete(&mut self, store: Resource<KeyValueStore>, key: String) -> Result<(), Error> {
        self.store(&store)?.delete_many(&[&key]).map_err(Error::Other)
    }

    fn exists(&mut self, store: Resource<KeyValueStore>, key: String) -> Result<bool, Error> {
        self.store(&store)?.exists(&key).map_err(Error::Other)
    }

    fn get_keys(&mut self, store: Resource<KeyValueStore>) -> Result<Vec<String>, Error> {
        self.store(&store)?.keys().map_err(Error::Other)
    }

    fn drop(&mut self, store: Resource<KeyValueStore>) -> wasmtime::Result<()> {
        self.table.delete(store)?;
        self.open_stores = self.open_stores.saturating_sub(1);
        Ok(())
    }
}
