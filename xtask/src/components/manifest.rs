//! The grants of a Spin manifest to each component.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, read_toml};

/// The components of a manifest, by name.
pub(super) struct Manifest {
    pub(super) components: BTreeMap<String, Component>,
}

/// A component, and the names of its grants, like `key_value_stores`.
pub(super) struct Component {
    pub(super) source: PathBuf,
    pub(super) grants: BTreeSet<&'static str>,
}

#[derive(Deserialize)]
struct ManifestText {
    component: BTreeMap<String, Granted>,
}

#[derive(Deserialize)]
struct Granted {
    source: PathBuf,
    #[serde(default)]
    key_value_stores: Vec<String>,
    #[serde(default)]
    sqlite_databases: Vec<String>,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    allowed_outbound_hosts: Vec<String>,
}

impl Manifest {
    pub(super) fn read(path: &Path) -> Result<Self, Error> {
        let text: ManifestText = read_toml(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let component = |(name, granted): (String, Granted)| {
            let grants = [
                ("key_value_stores", granted.key_value_stores.is_empty()),
                ("sqlite_databases", granted.sqlite_databases.is_empty()),
                ("variables", granted.variables.is_empty()),
                ("allowed_outbound_hosts", granted.allowed_outbound_hosts.is_empty()),
            ];
            let grants = grants.into_iter().filter(|(_, is_empty)| !is_empty).map(|(name, _)| name).collect();
            let component = Component { source: folder.join(granted.source), grants };
            (name, component)
        };
        Ok(Self { components: text.component.into_iter().map(component).collect() })
    }
}
