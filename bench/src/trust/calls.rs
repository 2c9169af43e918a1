//! Calls that went through a gate, by kind.

use std::collections::BTreeMap;
use std::fmt;

use spindrift_tests::Passed;

/// Numbers of calls by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Calls(BTreeMap<String, i64>);

impl Calls {
    /// Counts calls. Copies within the storage are a kind of their own.
    pub(crate) fn of(passed: &[Passed]) -> Self {
        let mut counts = BTreeMap::new();
        for call in passed {
            let kind = if call.is_copy { "COPY".to_owned() } else { call.method.to_string() };
            *counts.entry(kind).or_default() += 1;
        }
        Self(counts)
    }

    /// How many more these are than the others, by kind.
    pub(crate) fn beyond(&self, others: &Self) -> Self {
        let mut counts = self.0.clone();
        for (kind, count) in &others.0 {
            *counts.entry(kind.clone()).or_default() -= count;
        }
        counts.retain(|_, count| *count != 0);
        Self(counts)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> i64 {
        self.0.values().sum()
    }
}

impl fmt::Display for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        let kinds: Vec<_> = self.0.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        f.write_str(&kinds.join(", "))
    }
}
