//! Decides whether a change of the catalog cuts off installed copies.
//!
//! A copy is cut off if its requests were answered before the change, and get an error or no
//! release afterwards. No change does that by accident: the error reports how many devices would be
//! cut off, and the caller has to force the change.

mod change;
mod copies;
mod supply;

pub use change::CatalogChange;
pub use copies::{InstalledCopies, KnownCopies, SEEN_DAYS};
pub use supply::{DimensionItem, PublishedScope, Supply};

use supply::Reach;

use crate::Id;

/// The installed copies that a change cuts off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutOff {
    /// Number of devices. `None`: devices are not counted.
    pub devices: Option<u64>,
}

/// The installed copies that a change cuts off. `None`: no copies.
///
/// Copies whose updater never sends a device are not counted, even if others are. They are assumed
/// to exist wherever something is published for their updater.
pub fn cut_off(supply: &Supply, change: &CatalogChange<'_>, seen: KnownCopies<'_>) -> Option<CutOff> {
    let after = supply.after(change);
    let loses = |copies: &InstalledCopies| loses(supply, &after, change, copies);
    let counted = match seen {
        KnownCopies::Counted(counted) => counted,
        KnownCopies::Uncounted => &[],
    };
    let devices: u64 = counted.iter().filter(|copies| loses(copies)).map(|copies| copies.devices).sum();
    if devices > 0 {
        return Some(CutOff { devices: Some(devices) });
    }
    let is_uncounted = |publication: &&PublishedScope| match seen {
        KnownCopies::Counted(_) => publication.updaters.iter().any(|updater| !updater.sends_device()),
        KnownCopies::Uncounted => publication.is_on_offer(),
    };
    let silent = supply.published.iter().filter(is_uncounted);
    let mut assumed = silent.flat_map(|publication| supply.assumed_copies(publication, seen));
    assumed.any(|copies| loses(&copies)).then_some(CutOff { devices: None })
}

fn loses(before: &Supply, after: &Supply, change: &CatalogChange<'_>, copies: &InstalledCopies) -> bool {
    match change {
        CatalogChange::Owner => true,
        CatalogChange::App(app) => copies.app == **app,
        CatalogChange::Item { .. } => {
            let (old, new) = (before.reach(copies), after.reach(copies));
            new.level() < old.level() || loses_updater(before, after, copies, &old, &new)
        }
    }
}

/// Whether copies that are still offered something can no longer read it: their updater was
/// removed, or they name none and the default has changed.
fn loses_updater(
    before: &Supply,
    after: &Supply,
    copies: &InstalledCopies,
    old: &Reach,
    new: &Reach,
) -> bool {
    let Reach::Offer(target) = old else { return false };
    let Reach::Offer(new_target) = new else { return false };
    let (had, has) = (before.updaters(target), after.updaters(new_target));
    let is_default_kept = had.default_updater() == has.default_updater();
    let removed = had.entries().iter().map(|entry| entry.updater).filter(|updater| !has.has(*updater));
    let served = before.updaters_on_offer(copies, target);
    !is_default_kept && copies.may_use(had.default_updater(), &served)
        || removed.into_iter().any(|updater| copies.may_use(updater, &served))
}

/// Like [`cut_off`], for a caller who may see only some applications. Copies of other applications
/// affect whether the change cuts off any, but are not included in the number. `visible`: `None`
/// for all applications.
pub fn cut_off_as_seen_by(
    visible: Option<&[Id]>,
    supply: &Supply,
    change: &CatalogChange<'_>,
    seen: KnownCopies<'_>,
) -> Option<CutOff> {
    let all = cut_off(supply, change, seen)?;
    let (Some(visible), KnownCopies::Counted(counted)) = (visible, seen) else { return Some(all) };
    let counted: Vec<InstalledCopies> =
        counted.iter().filter(|copies| visible.contains(&copies.app)).cloned().collect();
    Some(cut_off(supply, change, KnownCopies::Counted(&counted)).unwrap_or(CutOff { devices: None }))
}

#[cfg(test)]
mod tests;
