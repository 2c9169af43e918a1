//! The size limit of each component.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, read_toml};

/// The largest sizes, in KiB, by component.
#[derive(Deserialize)]
pub(super) struct Budgets {
    max_kib: BTreeMap<String, usize>,
}

impl Budgets {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        read_toml(path)
    }

    /// A component of `kib` is within its budget.
    pub(super) fn check(&self, name: &str, kib: usize) -> Vec<String> {
        match self.max_kib.get(name) {
            None => vec!["wit/budgets.toml has no budget for it".to_owned()],
            Some(max) if kib > *max => vec![format!("it has {kib} KiB, and its budget is {max}")],
            Some(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_has_a_budget_and_keeps_it() {
        let budgets = Budgets { max_kib: BTreeMap::from([("a".to_owned(), 10)]) };
        assert_eq!(budgets.check("a", 10), [""; 0]);
        assert_eq!(budgets.check("a", 11), ["it has 11 KiB, and its budget is 10"]);
        assert_eq!(budgets.check("b", 1).len(), 1);
    }
}
