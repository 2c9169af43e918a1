//! Converts ids to names.

use spindrift_core::Id;

/// The names of these ids, without those of deleted items.
pub(super) fn names(ids: &[Id], all: &[(&Id, &str)]) -> String {
    let known: Vec<&str> = all.iter().filter(|(id, _)| ids.contains(id)).map(|(_, name)| *name).collect();
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}
