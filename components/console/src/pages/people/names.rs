//! Names for people in place of ids.

use spindrift_core::Id;

/// Names of ids; those of deleted things are left out.
pub(super) fn names(ids: &[Id], all: &[(&Id, &str)]) -> String {
    let known: Vec<&str> = all.iter().filter(|(id, _)| ids.contains(id)).map(|(_, name)| *name).collect();
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}
