//! `runtime-config.toml`: the places of key-value labels and database labels, and values of variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::HostError;
use spindrift_manifest::Values;

/// The file of a store that is not configured.
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
    #[serde(default)]
    variables_provider: Vec<Provider>,
}

/// The place of a key-value label.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
pub(crate) enum KeyValuePlace {
    File(PathBuf),
    Memory,
}

/// Values of variables. Other types than `static` are unknown here.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Provider {
    r#type: String,
    #[serde(default)]
    values: Values,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Store {
    r#type: String,
    path: Option<PathBuf>,
}

impl RuntimeConfig {
    /// Reads `path`. Only stores of the type `spin`, which are in memory or local SQLite files, and values of
    /// variables of the type `static` are supported.
    pub(crate) fn read(path: &Path) -> Result<Self, HostError> {
        let text = std::fs::read_to_string(path).map_err(HostError::file(path))?;
        let config: Self = toml::from_str(&text)
            .map_err(|error| HostError::RuntimeConfig { path: path.to_owned(), reason: error.to_string() })?;
        let all = config.key_value_store.iter().chain(&config.sqlite_database);
        for (label, store) in all {
            if store.r#type != "spin" {
                let reason = format!("`{label}` has the type `{}`; this host has only `spin`", store.r#type);
                return Err(HostError::RuntimeConfig { path: path.to_owned(), reason });
            }
        }
        if let Some(other) = config.variables_provider.iter().find(|provider| provider.r#type != "static") {
            let reason =
                format!("a variables provider has the type `{}`; this host has only `static`", other.r#type);
            return Err(HostError::RuntimeConfig { path: path.to_owned(), reason });
        }
        Ok(config)
    }

    /// The place of a key-value label. As in Spin, a label that is configured without a path is in memory.
    /// `None`: the label is not configured.
    pub(crate) fn key_value(&self, label: &str, state: &Path) -> Option<KeyValuePlace> {
        match self.key_value_store.get(label) {
            Some(Store { path: None, .. }) => Some(KeyValuePlace::Memory),
            _ => locate(&self.key_value_store, label, DEFAULT_KEY_VALUE, state).map(KeyValuePlace::File),
        }
    }

    /// The values of variables. The first provider that has one wins.
    pub(crate) fn variables(&self) -> Values {
        let providers = self.variables_provider.iter().rev();
        providers.flat_map(|provider| provider.values.clone()).collect()
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
    // Spin keeps its own state in `.spin/`; this host keeps it in the state folder. `join` leaves absolute
    // paths unchanged.
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
        let file = |path: &str| Some(KeyValuePlace::File(path.into()));
        assert_eq!(config.key_value("other", state), file("/state/o.db"));
        assert_eq!(config.key_value("default", state), file("/state/sqlite_key_value.db"));
        assert_eq!(config.sqlite("default", state).unwrap(), Path::new("/state/sqlite_db.db"));
        assert_eq!(config.sqlite("missing", state), None);
    }

    #[test]
    fn the_configuration_of_one_server_keeps_key_values_in_memory_and_gathers_devices() {
        let config =
            RuntimeConfig::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime-config.toml")));
        let config = config.unwrap();
        assert_eq!(config.key_value("default", Path::new("/state")), Some(KeyValuePlace::Memory));
        assert_eq!(config.variables()["telemetry_gathered"], "true");
    }

    #[test]
    fn the_first_provider_wins() {
        let provider =
            |values| format!("[[variables_provider]]\ntype = \"static\"\nvalues = {{ {values} }}\n");
        let text = [provider("a = \"1\""), provider("a = \"2\", b = \"3\"")].concat();
        let config: RuntimeConfig = toml::from_str(&text).unwrap();
        assert_eq!(config.variables(), Values::from([("a".into(), "1".into()), ("b".into(), "3".into())]));
    }
}
