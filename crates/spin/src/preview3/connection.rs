//! The instance's connection to the database.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::bindings::fermyon::spin::sqlite::{Connection, Error};

/// The setting of a new connection in Spin: how many milliseconds it waits for a lock.
const NEW: (&str, &str) = ("busy_timeout", "5000");

thread_local! {
    static OPEN: RefCell<Option<OpenConnection>> = const { RefCell::new(None) };
}

struct OpenConnection {
    connection: Rc<Connection>,
    /// The last value set for each pragma.
    pragmas: HashMap<String, String>,
}

/// The connection, which is opened only once.
pub(crate) fn open(open: impl FnOnce() -> Result<Connection, Error>) -> Result<Rc<Connection>, Error> {
    if let Some(connection) = OPEN.with_borrow(|open| open.as_ref().map(|open| Rc::clone(&open.connection))) {
        return Ok(connection);
    }
    let connection = Rc::new(open()?);
    OPEN.set(Some(OpenConnection {
        connection: Rc::clone(&connection),
        pragmas: HashMap::from([(NEW.0.to_owned(), NEW.1.to_owned())]),
    }));
    Ok(connection)
}

/// Discards the connection after a failure, so that no transaction stays open; the next request opens another
/// one.
pub(crate) fn release() {
    OPEN.take();
}

/// Whether the connection already has this setting: `PRAGMA name = value`, which lasts as long as the
/// connection.
pub(crate) fn has_setting(statement: &str) -> bool {
    let Some((name, value)) = statement.strip_prefix("PRAGMA ").and_then(|rest| rest.split_once(" = "))
    else {
        return false;
    };
    OPEN.with_borrow_mut(|open| {
        let Some(open) = open else { return false };
        open.pragmas.insert(name.to_owned(), value.to_owned()).as_deref() == Some(value)
    })
}
