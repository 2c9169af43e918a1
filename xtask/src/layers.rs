//! `layers.toml`: its comments say what each key means.

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

/// Packages of the workspace that follow the same rule.
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

/// Crates from elsewhere that are reserved.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outside {
    pub(crate) crates: Vec<String>,
    pub(crate) used_by: Vec<String>,
    #[serde(default)]
    pub(crate) used_dev: Vec<String>,
    #[serde(default)]
    pub(crate) wasm_only: bool,
    /// `None`: anywhere in the packages that may use them.
    pub(crate) named_in: Option<Vec<String>>,
}

/// Files that may use each other in a circle.
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

    /// The layers that list a package: exactly one when all is well.
    pub(crate) fn of<'a>(&'a self, package: &'a str) -> impl Iterator<Item = &'a Layer> {
        self.layer.iter().filter(move |layer| matches_any(&layer.packages, package))
    }

    /// Every text of the file that stands for packages of the workspace.
    pub(crate) fn package_patterns(&self) -> impl Iterator<Item = &String> {
        let layers = self.layer.iter().flat_map(|l| [&l.packages, &l.uses, &l.uses_wasm, &l.uses_dev]);
        layers.chain(self.outside.iter().flat_map(|o| [&o.used_by, &o.used_dev])).flatten()
    }
}
