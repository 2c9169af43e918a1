//! The services granted to one component of one host, shared by all its instances.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::connections::Connections;
use crate::key_value::KeyValueStore;
use crate::limits::Limits;
use crate::sqlite::DatabaseFile;
use spindrift_manifest::AllowedHosts;
use spindrift_manifest::Values;

pub(crate) struct Services {
    pub(crate) component: Arc<str>,
    pub(crate) variables: Values,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) key_value_stores: BTreeMap<String, KeyValueStore>,
    pub(crate) databases: BTreeMap<String, Arc<DatabaseFile>>,
    pub(crate) allowed_hosts: AllowedHosts,
    pub(crate) limits: Limits,
    pub(crate) connections: Arc<Connections>,
    /// Instructions of all instances that have ended, if the engine counts them.
    pub(crate) instructions: Arc<AtomicU64>,
}
