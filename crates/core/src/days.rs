//! Ranges of days.

use crate::Day;

/// A range of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub first: Day,
    /// The last day.
    pub last: Day,
}

impl Days {
    /// So many days, of which `last` is the last.
    pub fn until(last: Day, count: i64) -> Self {
        Self { first: last.minus(count - 1), last }
    }

    /// All days, oldest first.
    pub fn all(self) -> Vec<Day> {
        let count = self.last.number() - self.first.number();
        (0..=count).rev().map(|ago| self.last.minus(ago)).collect()
    }
}
