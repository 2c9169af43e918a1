//! The types of `layers.toml`. The comments in that file describe each key.

use std::path::Path;

use serde::Deserialize;

use crate::error::{Error, read_toml};
use crate::pattern::matches_any;

/// The whole file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layers {
    #[serde(default)]
    pub(crate) layer: Vec<Layer>,
    #[serde(default)]
    pub(crate) outside: Vec<Outside>,
    #[serde(default)]
    pub(crate) circle: Vec<Circle>,
}

/// Packages of the workspace with the same rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Layer {
    pub(crate) packages: Vec<String>,
    pub(crate) uses: Vec<String>,
    #[serde(default)]
    pub(crate) uses_wasm: Vec<String>,
    #[serde(default)]
    pub(crate) uses_dev: Vec<String>,
}

/// External crates that only some packages may use.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outside {
    pub(crate) crates: Vec<String>,
    pub(crate) used_by: Vec<String>,
    #[serde(default)]
    pub(crate) used_dev: Vec<String>,
    #[serde(default)]
    pub(crate) wasm_only: bool,
    /// Files that may name the crates. `None`: any file of the packages that may use them.
    pub(crate) named_in: Option<Vec<String>>,
}

/// Files that may import each other in a circle.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Circle {
    pub(crate) files: Vec<String>,
    pub(crate) reason: String,
}

impl Layers {
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        read_toml(path)
    }

    /// The layers that list a package, by its own name or else by a pattern. There should be exactly one.
    pub(crate) fn of(&self, package: &str) -> Vec<&Layer> {
        let by_name: Vec<_> =
            self.layer.iter().filter(|layer| layer.packages.iter().any(|name| name == package)).collect();
        if by_name.is_empty() {
            return self.layer.iter().filter(|layer| matches_any(&layer.packages, package)).collect();
        }
        by_name
    }

    /// Every pattern in the file that names packages of the workspace.
    pub(crate) fn package_patterns(&self) -> impl Iterator<Item = &String> {
        let layers = self.layer.iter().flat_map(|l| [&l.packages, &l.uses, &l.uses_wasm, &l.uses_dev]);
        layers.chain(self.outside.iter().flat_map(|o| [&o.used_by, &o.used_dev])).flatten()
    }
}
