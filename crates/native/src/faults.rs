//! Switches that make a part of the platform fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The text of every failure caused by a switch.
pub(crate) const REASON: &str = "switched off by a test";

/// One switch per part.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pub(crate) key_value: Switch,
    pub(crate) misreported_replaces: Switch,
    pub(crate) sql: Switch,
    pub(crate) http: Switch,
    pub(crate) variables: Switch,
}

/// A switch that clones share; off at first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Switch(Arc<AtomicBool>);

impl Switch {
    pub(crate) fn set(&self, on: bool) {
        self.0.store(on, Ordering::SeqCst);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
