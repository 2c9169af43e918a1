//! The values that an instance keeps between requests.
//!
//! Records of the key-value store are used for half a second, and answers that were made from them for
//! another half. So an answer is up to a second older than in the other form, even on the machine that made
//! the change.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a value is used.
const MAX_AGE: Duration = Duration::from_millis(500);
/// Maximum number of bytes of kept values, counted as stored or sent. If a new value would exceed it, all
/// values are dropped.
const MAX_BYTES: usize = 8 * 1024 * 1024;

struct RememberedValue {
    kept_at: Instant,
    size: usize,
    any: Arc<dyn Any + Send + Sync>,
}

#[derive(Default)]
struct InstanceMemory {
    values: RefCell<HashMap<String, RememberedValue>>,
    bytes: Cell<usize>,
    /// Settings, which the host does not change while an application runs.
    variables: RefCell<HashMap<String, Option<String>>>,
}

thread_local! {
    static MEMORY: InstanceMemory = InstanceMemory::default();
}

/// The value of a key, remembered at most half a second ago.
pub(crate) fn remembered<T: Send + Sync + 'static>(key: &str) -> Option<Arc<T>> {
    MEMORY.with(|memory| {
        let values = memory.values.borrow();
        let known = values.get(key).filter(|known| known.kept_at.elapsed() < MAX_AGE)?;
        Arc::clone(&known.any).downcast().ok()
    })
}

pub(crate) fn remember<T: Send + Sync + 'static>(key: &str, size: usize, value: &Arc<T>) {
    let size = key.len() + size;
    let value = RememberedValue {
        kept_at: Instant::now(),
        size,
        any: Arc::clone(value) as Arc<dyn Any + Send + Sync>,
    };
    MEMORY.with(|memory| {
        memory.forget(key);
        if memory.bytes.get() + size > MAX_BYTES {
            memory.values.borrow_mut().clear();
            memory.bytes.set(0);
        }
        memory.bytes.set(memory.bytes.get() + size);
        memory.values.borrow_mut().insert(key.to_owned(), value);
    });
}

/// Drops the values kept for a key, because it changes.
pub(crate) fn forget(key: &str) {
    MEMORY.with(|memory| memory.forget(key));
}

impl InstanceMemory {
    fn forget(&self, key: &str) {
        if let Some(old) = self.values.borrow_mut().remove(key) {
            self.bytes.set(self.bytes.get() - old.size);
        }
    }
}

/// The value of a variable, read once.
pub(crate) fn kept_variable<E>(
    name: &str,
    read: impl FnOnce() -> Result<Option<String>, E>,
) -> Result<Option<String>, E> {
    MEMORY.with(|memory| {
        if let Some(known) = memory.variables.borrow().get(name) {
            return Ok(known.clone());
        }
        let value = read()?;
        memory.variables.borrow_mut().insert(name.to_owned(), value.clone());
        Ok(value)
    })
}
