//! `runtime-config.toml`: the files for key-value labels and database labels.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::HostError;

/// The file of a store if the configuration names none. Spin keeps a key-value store that is configured without a file in
/// memory; this host, which is for development, keeps it between restarts.
const DEFAULT_KEY_VALUE: &str = ".spin/sqlite_key_value.db";
const DEFAULT_SQLITE: &str = ".spin/sqlite_db.db";

/// Configuration by label.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuntimeConfig {
    #[serde(default)]
    key_value_store: BTreeMap<String, Store>,
    #[serde(default)]
    sqlite_database: BTreeMap<String, Store>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Store {
    r#type: String,
    path: Option<PathBuf>,
}

impl RuntimeConfig {
    /// Reads `path`. Only stores of the type `spin`, which are local SQLite files, are supported.
    pub(crate) fn read(path: &Path) -> Result<Self, HostError> {
        let text = std::fs::read_to_string(path).map_err(HostError::file(path))?;
        let config: Self = toml::from_str(&text)
            .map_err(|error| HostError::Manifest { path: path.to_owned(), reason: error.to_string() })?;
        let all = config.key_value_store.iter().chain(&config.sqlite_database);
        for (label, store) in all {
            if store.r#type != "spin" {
                let reason =
                    format!("`{label}` has the type `{}`; the embedded host has only `spin`", store.r#type);
                return Err(HostError::Manifest { path: path.to_owned(), reason });
            }
        }
        Ok(config)
    }

    /// The file for a key-value label. `None`: the label is not configured.
    pub(crate) fn key_value(&self, label: &str, state: &Path) -> Option<PathBuf> {
        locate(&self.key_value_store, label, DEFAULT_KEY_VALUE, state)
    }

    /// The file for a database label. `None`: the label is not configured.
    pub(crate) fn sqlite(&self, label: &str, state: &Path) -> Option<PathBuf> {
        locate(&self.sqlite_database, label, DEFAULT_SQLITE, state)
    }
}

fn locate(stores: &BTreeMap<String, Store>, label: &str, default: &str, state: &Path) -> Option<PathBuf> {
    let path = match stores.get(label) {
        Some(store) => store.path.clone().unwrap_or_else(|| PathBuf::from(default)),
        None if label == "default" => PathBuf::from(default),
        None => return None,
    };
    // Spin keeps its own state in `.spin/`; this host keeps it in the state folder. `join` leaves absolute paths
    // unchanged.
    Some(state.join(path.strip_prefix(".spin").unwrap_or(&path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_live_under_the_state_folder() {
        let config: RuntimeConfig =
            toml::from_str("[key_value_store.other]\ntype = \"spin\"\npath = \".spin/o.db\"\n").unwrap();
        let state = Path::new("/state");
        assert_eq!(config.key_value("other", state).unwrap(), Path::new("/state/o.db"));
        assert_eq!(config.key_value("default", state).unwrap(), Path::new("/state/sqlite_key_value.db"));
        assert_eq!(config.sqlite("default", state).unwrap(), Path::new("/state/sqlite_db.db"));
        assert_eq!(config.sqlite("missing", state), None);
    }
}
