//! Key-value stores: labels in SQLite files with the layout that Spin uses.

mod cache;
mod file;
mod spin;
mod store;
mod turns;
mod wasi;

use std::sync::Arc;

pub(crate) use file::KeyValueFile;

/// One label of one file. Cheap to clone. Each handle that a component opens is a clone.
#[derive(Clone)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct KeyValueStore {
    name: Arc<str>,
    file: Arc<KeyValueFile>,
}

/// A key, and its value when it was last read.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct CompareAndSwap {
    store: KeyValueStore,
    key: String,
    seen: Option<Vec<u8>>,
}

impl KeyValueStore {
    pub(crate) fn new(name: &str, file: Arc<KeyValueFile>) -> Self {
        Self { name: name.into(), file }
    }
}
