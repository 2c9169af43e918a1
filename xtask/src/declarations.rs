//! Components as their folders declare them: `[package.metadata.component]` in `components/*/Cargo.toml`. Their
//! routes and grants are in `spin.toml`.

use std::path::Path;

use serde::Deserialize;
use spindrift_settings::{GROUPS, Reader};

use crate::error::{Error, read_toml};

/// The folder with a folder for each component.
const FOLDER: &str = "components";
const MISSING: &str = "add [package.metadata.component] with `max_kib`, `work` and `settings` (CONTRIBUTING.md, \
                       \"Add a component\")";

/// A component, by the name of its folder, which is also its name in `spin.toml`.
#[derive(Debug)]
pub(crate) struct Component {
    pub(crate) name: String,
    /// The largest size of its build in KiB, in every form.
    pub(crate) max_kib: usize,
    /// `None`: the service does not have it, because it is an edge deployment.
    pub(crate) work: Option<Work>,
    /// The groups of settings that it reads.
    groups: Vec<&'static str>,
    /// Whether the fast build has it as a component of WASI 0.3.
    pub(crate) is_fast: bool,
    /// Whether its calls belong to the interface. Pages do not.
    pub(crate) is_described: bool,
}

/// The variants of `Work` in `crates/server/src/components.rs`, which describes them.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Work {
    Here,
    CopiesOnPool,
    Pool,
}

#[derive(Deserialize)]
struct CargoManifest {
    package: CargoPackage,
    #[serde(default)]
    features: toml::Table,
}

#[derive(Deserialize)]
struct CargoPackage {
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Default, Deserialize)]
struct Metadata {
    component: Option<Declaration>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declaration {
    max_kib: usize,
    work: Option<Work>,
    settings: Vec<String>,
    /// Whether its calls are pages.
    #[serde(default)]
    pages: bool,
}

impl Component {
    /// Itself as a reader of settings.
    pub(crate) fn reader(&self) -> Reader<'_> {
        Reader { component: &self.name, groups: &self.groups }
    }

    /// Whether it is part of the service.
    pub(crate) const fn is_of_service(&self) -> bool {
        self.work.is_some()
    }

    /// The name of its crate in source code.
    pub(crate) fn crate_name(&self) -> String {
        format!("component_{}", self.name.replace('-', "_"))
    }

    fn read(folder: &Path) -> Result<Self, Error> {
        let path = folder.join("Cargo.toml");
        let manifest: CargoManifest = read_toml(&path)?;
        let declaration = manifest.package.metadata.component;
        let Declaration { max_kib, work, settings, pages } =
            declaration.ok_or_else(|| Error::invalid(&path, &MISSING))?;
        let groups = settings.iter().map(|name| group(name).map_err(|error| Error::invalid(&path, &error)));
        Ok(Self {
            name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            max_kib,
            work,
            groups: groups.collect::<Result<_, _>>()?,
            is_fast: manifest.features.contains_key("preview3"),
            is_described: work.is_some() && !pages,
        })
    }
}

fn group(name: &str) -> Result<&'static str, String> {
    let found = GROUPS.into_iter().find(|group| *group == name);
    found.ok_or_else(|| {
        format!("there is no group of settings {name:?}; the groups are {}", GROUPS.join(", "))
    })
}

/// All components of the workspace in `root`, by name.
pub(crate) fn read(root: &Path) -> Result<Vec<Component>, Error> {
    let folder = root.join(FOLDER);
    let entries = std::fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut folders: Vec<_> =
        entries.map_err(Error::file(&folder))?.iter().map(std::fs::DirEntry::path).collect();
    folders.retain(|folder| folder.join("Cargo.toml").exists());
    folders.sort();
    folders.iter().map(|folder| Component::read(folder)).collect()
}
