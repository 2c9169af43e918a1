//! Changes of the catalog.

use super::supply::{DimensionItem, Supply};
use crate::{DimensionKind, Id};

/// A change of an owner's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogChange<'a> {
    /// The owner is renamed.
    Owner,
    /// An application is renamed or deleted.
    App(&'a Id),
    /// A channel, platform or architecture is changed or deleted.
    Item {
        /// Which of the three it is.
        kind: DimensionKind,
        /// Its identifier.
        id: &'a Id,
        /// Its new value. `None`: it is deleted.
        to: Option<DimensionItem>,
    },
}

impl Supply {
    /// The supply after a change of a channel, platform or architecture. Other changes do not
    /// affect it.
    pub(super) fn after(&self, change: &CatalogChange<'_>) -> Self {
        let mut after = self.clone();
        let CatalogChange::Item { kind, id, to } = change else { return after };
        let values = after.values_mut(*kind);
        values.retain(|value| value.id != **id);
        if let Some(new) = to {
            for other in values.iter_mut().filter(|_| new.is_default) {
                other.is_default = false;
            }
            values.push(new.clone());
        }
        after
    }
}
