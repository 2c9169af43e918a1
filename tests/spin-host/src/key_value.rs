//! Key-value stores: labels in memory, or in SQLite files with the layout that Spin uses.

mod cache;
mod file;
mod memory;
mod result;
mod spin;
mod store;
mod turns;
mod wasi;

use std::sync::Arc;

pub(crate) use file::KeyValueFile;
pub(crate) use memory::KeyValueMemory;
use result::Result;
use store::FileStore;

/// One label. Cheap to clone. Each handle that a component opens is a clone.
#[derive(Clone)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct KeyValueStore(Place);

#[derive(Clone)]
enum Place {
    File(FileStore),
    Memory(Arc<KeyValueMemory>),
}

/// A key, and its value when it was last read.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct CompareAndSwap {
    store: KeyValueStore,
    key: String,
    seen: Option<Vec<u8>>,
}

impl KeyValueStore {
    pub(crate) fn in_file(name: &str, file: Arc<KeyValueFile>) -> Self {
        Self(Place::File(FileStore::new(name, file)))
    }

    pub(crate) const fn in_memory(memory: Arc<KeyValueMemory>) -> Self {
        Self(Place::Memory(memory))
    }

    fn get(&self, key: &str) -> Result<Option<Vec<u8>>> {
        match &self.0 {
            Place::File(store) => store.get(key),
            Place::Memory(store) => Ok(store.get(key)),
        }
    }

    fn exists(&self, key: &str) -> Result<bool> {
        match &self.0 {
            Place::File(store) => store.exists(key),
            Place::Memory(store) => Ok(store.exists(key)),
        }
    }

    fn keys(&self) -> Result<Vec<String>> {
        match &self.0 {
            Place::File(store) => store.keys(),
            Place::Memory(store) => Ok(store.keys()),
        }
    }

    fn set_many(&self, pairs: &[(&str, &[u8])]) -> Result<()> {
        match &self.0 {
            Place::File(store) => store.set_many(pairs),
            Place::Memory(store) => store.set_many(pairs),
        }
    }

    fn delete_many(&self, keys: &[&str]) -> Result<()> {
        match &self.0 {
            Place::File(store) => store.delete_many(keys),
            Place::Memory(store) => {
                store.delete_many(keys);
                Ok(())
            }
        }
    }

    /// Adds `delta` to a counter, which begins at 0.
    fn increment(&self, key: &str, delta: i64) -> Result<i64> {
        match &self.0 {
            Place::File(store) => store.increment(key, delta),
            Place::Memory(store) => store.increment(key, delta),
        }
    }

    /// Writes `value` if the key still has the value `expected`; `None` means that the key does not exist.
    /// Returns whether it did.
    fn swap(&self, key: &str, expected: Option<&[u8]>, value: &[u8]) -> Result<bool> {
        match &self.0 {
            Place::File(store) => store.swap(key, expected, value),
            Place::Memory(store) => store.swap(key, expected, value),
        }
    }
}

#[cfg(test)]
mod tests;
