//! Key-value stores: labels on SQLite files in the layout that Spin uses.

mod cache;
mod file;
mod spin;
mod store;
mod turns;
mod wasi;

use std::sync::Arc;

pub(crate) use file::KeyValueFile;

/// One label of one file. Cheap to clone; each handle a component opens is one.
#[derive(Clone)]
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct KeyValueStore {
    name: Arc<str>,
    file: Arc<KeyValueFile>,
}

/// What a key held when it was last looked at.
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
