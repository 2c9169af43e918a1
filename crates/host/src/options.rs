//! How to run a program.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use crate::limits::Limits;

/// Settings of one [`Host`](crate::Host). The default listens on free local ports and keeps its state in `.spindrift`.
#[derive(Debug, Clone)]
pub struct HostOptions {
    /// Where the application listens; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where the object storage listens; `None` runs without one.
    pub storage_listen: Option<SocketAddr>,
    /// Folder for databases, key-value stores, objects and secrets. Created when missing.
    pub state_dir: PathBuf,
    /// Which files stand behind store labels; `None` knows only the label `default`.
    pub runtime_config: Option<PathBuf>,
    /// Values of application variables; stronger than anything else.
    pub variables: BTreeMap<String, String>,
    /// Whether secrets without a value are made up and kept in the state folder.
    pub generate_secrets: bool,
    /// Limits on requests and instances.
    pub limits: Limits,
}

impl Default for HostOptions {
    fn default() -> Self {
        let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            listen: free_port,
            storage_listen: Some(free_port),
            state_dir: PathBuf::from(".spindrift"),
            runtime_config: None,
            variables: BTreeMap::new(),
            generate_secrets: true,
            limits: Limits::default(),
        }
    }
}
