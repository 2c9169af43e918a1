//! Resolves the names that a manifest grants to stores, databases and hosts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::connections::Connections;
use crate::error::HostError;
use crate::key_value::{KeyValueFile, KeyValueMemory, KeyValueStore};
use crate::options::HostOptions;
use crate::program::Program;
use crate::runtime_config::{KeyValuePlace, RuntimeConfig};
use crate::services::Services;
use crate::sqlite::DatabaseFile;
use spindrift_manifest::AllowedHosts;
use spindrift_manifest::Component;
use spindrift_manifest::Values;
use spindrift_manifest::render;

/// The services of every routed component, by component id.
pub(crate) fn services(
    program: &Program,
    options: &HostOptions,
    config: RuntimeConfig,
    variables: &Values,
) -> Result<BTreeMap<String, Arc<Services>>, HostError> {
    let mut grants = Grants {
        config,
        options,
        variables,
        files: BTreeMap::new(),
        memories: BTreeMap::new(),
        databases: BTreeMap::new(),
        connections: Arc::default(),
    };
    let declared = &program.manifest().components;
    let routed = declared.iter().filter(|(id, _)| program.components().contains_key(*id));
    routed.map(|(id, component)| Ok((id.clone(), Arc::new(grants.of(id, component)?)))).collect()
}

/// Opens the stores, databases and connections that a manifest grants by name. Components with the same label
/// share them.
struct Grants<'a> {
    config: RuntimeConfig,
    options: &'a HostOptions,
    variables: &'a Values,
    files: BTreeMap<PathBuf, Arc<KeyValueFile>>,
    memories: BTreeMap<String, Arc<KeyValueMemory>>,
    databases: BTreeMap<PathBuf, Arc<DatabaseFile>>,
    connections: Arc<Connections>,
}

impl Grants<'_> {
    fn of(&mut self, id: &str, component: &Component) -> Result<Services, HostError> {
        let refuse = |reason| HostError::component(id, reason);
        let expand = |template: &String| render(template, self.variables).map_err(refuse);
        let hosts: Vec<String> =
            component.allowed_outbound_hosts.iter().map(expand).collect::<Result<_, _>>()?;
        let allowed_hosts = AllowedHosts::new(hosts.iter().map(String::as_str)).map_err(refuse)?;
        let mut variables = Values::new();
        for (name, template) in &component.variables {
            variables.insert(name.clone(), expand(template)?);
        }
        let mut key_value_stores = BTreeMap::new();
        for label in &component.key_value_stores {
            key_value_stores.insert(label.clone(), self.key_value(id, label)?);
        }
        let mut databases = BTreeMap::new();
        for label in &component.sqlite_databases {
            databases.insert(label.clone(), self.database(id, label)?);
        }
        Ok(Services {
            component: id.into(),
            variables,
            environment: component.environment.clone().into_iter().collect(),
            key_value_stores,
            databases,
            allowed_hosts,
            limits: self.options.limits,
            connections: self.connections.clone(),
            instructions: Arc::default(),
        })
    }

    fn key_value(&mut self, id: &str, label: &str) -> Result<KeyValueStore, HostError> {
        let limits = self.options.limits;
        match self.config.key_value(label, &self.options.state_dir) {
            None => Err(HostError::component(id, format!("no key-value store `{label}` is configured"))),
            Some(KeyValuePlace::Memory) => {
                let memory = self.memories.entry(label.to_owned());
                let memory = memory.or_insert_with(|| Arc::new(KeyValueMemory::new(limits.result_bytes)));
                Ok(KeyValueStore::in_memory(memory.clone()))
            }
            Some(KeyValuePlace::File(path)) => {
                if let Some(file) = self.files.get(&path) {
                    return Ok(KeyValueStore::in_file(label, file.clone()));
                }
                create_parent(&path)?;
                let file = Arc::new(KeyValueFile::open(&path, limits)?);
                self.files.insert(path, file.clone());
                Ok(KeyValueStore::in_file(label, file))
            }
        }
    }

    fn database(&mut self, id: &str, label: &str) -> Result<Arc<DatabaseFile>, HostError> {
        let path = self.config.sqlite(label, &self.options.state_dir);
        let path =
            path.ok_or_else(|| HostError::component(id, format!("no database `{label}` is configured")))?;
        create_parent(&path)?;
        let wait = self.options.limits.database_wait;
        let file =
            self.databases.entry(path.clone()).or_insert_with(|| Arc::new(DatabaseFile::new(path, wait)));
        Ok(file.clone())
    }
}

fn create_parent(path: &Path) -> Result<(), HostError> {
    path.parent().map_or(Ok(()), |parent| std::fs::create_dir_all(parent).map_err(HostError::file(parent)))
}
