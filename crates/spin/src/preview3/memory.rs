//! What an instance keeps between requests.
//!
//! Values of the key-value store are used for at most one second. So an answer is as new as that of the other form, plus
//! one second; on the machine that made the change as well.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::time::{Duration, Instant};

use spin_sdk::sqlite::{Connection, Error};

/// How long a value of the key-value store is used.
const MAX_AGE: Duration = Duration::from_secs(1);
/// Most bytes of kept values. When there would be more, all are dropped.
const MAX_BYTES: usize = 8 * 1024 * 1024;

struct Value {
    read_at: Instant,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct Memory {
    values: RefCell<HashMap<String, Value>>,
    bytes: Cell<usize>,
    /// Settings. The host does not change them while an application runs.
    variables: RefCell<HashMap<String, Option<String>>>,
    connection: RefCell<Option<Rc<Connection>>>,
}

thread_local! {
    static MEMORY: Memory = Memory::default();
}

/// The value of a key, read at most a second ago. That a key has no value is not kept.
pub(crate) fn kept<E>(
    key: &str,
    read: impl FnOnce() -> Result<Option<Vec<u8>>, E>,
) -> Result<Option<Vec<u8>>, E> {
    MEMORY.with(|memory| {
        let now = Instant::now();
        let known = memory.values.borrow();
        if let Some(value) = known.get(key).filter(|value| now.duration_since(value.read_at) < MAX_AGE) {
            return Ok(Some(value.bytes.clone()));
        }
        drop(known);
        let found = read()?;
        memory.note(key, found.as_deref(), now);
        Ok(found)
    })
}

/// Drops what is kept of a key, because it changes.
pub(crate) fn forget(key: &str) {
    MEMORY.with(|memory| memory.note(key, None, Instant::now()));
}

impl Memory {
    fn note(&self, key: &str, found: Option<&[u8]>, read_at: Instant) {
        let mut values = self.values.borrow_mut();
        let size = |key: &str, bytes: &[u8]| key.len() + bytes.len();
        if let Some(old) = values.remove(key) {
            self.bytes.set(self.bytes.get() - size(key, &old.bytes));
        }
        let Some(bytes) = found else { return };
        if self.bytes.get() + size(key, bytes) > MAX_BYTES {
            values.clear();
            self.bytes.set(0);
        }
        self.bytes.set(self.bytes.get() + size(key, bytes));
        values.insert(key.to_owned(), Value { read_at, bytes: bytes.to_vec() });
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

/// The instance's connection to the database.
pub(crate) fn open_connection(
    open: impl FnOnce() -> Result<Connection, Error>,
) -> Result<Rc<Connection>, Error> {
    MEMORY.with(|memory| {
        if let Some(connection) = &*memory.connection.borrow() {
            return Ok(Rc::clone(connection));
        }
        let connection = Rc::new(open()?);
        *memory.connection.borrow_mut() = Some(Rc::clone(&connection));
        Ok(connection)
    })
}

/// Gives the connection up after a failure, so that no transaction stays open; the next request opens another one.
pub(crate) fn release_connection() {
    MEMORY.with(|memory| memory.connection.take());
}
