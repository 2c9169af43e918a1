//! Counters of how often a part of the platform was used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One counter per part.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) statements: Counter,
    /// Rows that statements read sequentially, without an index.
    pub(crate) scanned_rows: Counter,
    pub(crate) requests: Counter,
}

/// A counter that clones share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    pub(crate) fn count(&self) {
        self.add(1);
    }

    pub(crate) fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::SeqCst);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}
