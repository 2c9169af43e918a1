//! The grants of a component.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The grants of a component: its section of a manifest, with the values of the application's variables.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    pub component: String,
    /// Its variables: `{{ name }}` for a variable of the application, or a fixed text.
    pub variables: BTreeMap<String, String>,
    /// Which of [`KEY_VALUE_STORES`], [`SQLITE_DATABASES`] and [`OUTBOUND_HOSTS`] it is granted.
    pub parts: BTreeSet<String>,
    /// The hosts to which it may send requests, if any. The rules may name variables.
    pub outbound_hosts: Vec<String>,
}

/// The key of a manifest that grants the key-value store.
pub const KEY_VALUE_STORES: &str = "key_value_stores";
/// The key of a manifest that grants the database.
pub const SQLITE_DATABASES: &str = "sqlite_databases";
/// The key of a manifest that grants HTTP requests to other hosts.
pub const OUTBOUND_HOSTS: &str = "allowed_outbound_hosts";

/// The text of every failure caused by a missing grant.
pub(crate) const NOT_GRANTED: &str = "not granted to the component";

/// A component and something that it requested: a variable or a key of the manifest.
pub type Use = (String, String);

/// Everything that components have requested, whether it was granted or not.
#[derive(Debug, Default)]
pub(crate) struct RecordedUses(Mutex<BTreeSet<Use>>);

impl RecordedUses {
    pub(crate) fn note(&self, component: &str, what: &str) {
        let mut uses = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        uses.insert((component.to_owned(), what.to_owned()));
    }

    pub(crate) fn all(&self) -> BTreeSet<Use> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
