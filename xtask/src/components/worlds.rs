//! The worlds in `wit/`.

use std::collections::BTreeMap;
use std::path::Path;

use wit_parser::{Resolve, WorldItem, WorldKey};

use crate::error::Error;

/// The interfaces that each world imports, with versions.
pub(super) struct Worlds(BTreeMap<String, Vec<String>>);

impl Worlds {
    /// Reads the package in a folder.
    pub(super) fn read(folder: &Path) -> Result<Self, Error> {
        let mut resolve = Resolve::default();
        resolve.push_dir(folder).map_err(|error| Error::invalid(folder, &format!("{error:#}")))?;
        let imports = |world: &wit_parser::World| {
            let interfaces = world.imports.iter().filter_map(|(key, item)| match (key, item) {
                (WorldKey::Interface(id), WorldItem::Interface { .. }) => resolve.id_of(*id),
                _ => None,
            });
            (world.name.clone(), interfaces.collect())
        };
        Ok(Self(resolve.worlds.iter().map(|(_, world)| imports(world)).collect()))
    }

    /// The interfaces that a world imports. `None`: there is no such world.
    pub(super) fn imports(&self, world: &str) -> Option<&[String]> {
        self.0.get(world).map(Vec::as_slice)
    }

    #[cfg(test)]
    pub(super) fn of<'a>(worlds: impl IntoIterator<Item = (&'a str, &'a [&'a str])>) -> Self {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self(worlds.into_iter().map(|(world, names)| (world.to_owned(), owned(names))).collect())
    }
}
