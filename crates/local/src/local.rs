//! The service and its storage.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use embedded_host::{Host, HostOptions, Limits, Program, Storage, Values};

use crate::error::LocalError;
use crate::metrics::Metrics;
use crate::secrets::Secrets;
use crate::settings;
use crate::sockets::Sockets;
use crate::state_dir;
use crate::variables::Known;

/// Options for running the service. [`LocalOptions::new`] uses free local ports.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Where the service listens; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where the object storage listens; `None` runs without one.
    pub storage_listen: Option<SocketAddr>,
    /// Folder for databases, key-value stores, objects and secrets. Created if missing.
    pub state_dir: PathBuf,
    /// File with the places of the stores, and optionally with values of variables. `None`: only the label `default` exists,
    /// in files.
    pub runtime_config: Option<PathBuf>,
    /// Values of application variables. They take precedence over all other values.
    pub variables: Values,
    /// Limits on requests and instances.
    pub limits: Limits,
}

impl LocalOptions {
    /// Uses free ports, a storage, and no variables.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            listen: free_port,
            storage_listen: Some(free_port),
            state_dir: state_dir.into(),
            runtime_config: None,
            variables: Values::new(),
            limits: Limits::default(),
        }
    }
}

/// A running service with its storage. Dropping it ends both at once; [`Local::stop`] waits for running requests first.
#[derive(Debug)]
pub struct Local {
    host: Host,
    storage: Option<Storage>,
    limits: Limits,
}

impl Local {
    /// Starts the storage, determines all variables, and begins to serve. Must be called inside a tokio runtime.
    ///
    /// The value of a variable is the first of these: the given value; the value known here (URLs and credentials of
    /// service and storage); for a secret with an empty default, a generated value, which is kept in the state folder;
    /// the default in the manifest.
    ///
    /// # Errors
    /// Unusable addresses, folders, variables, settings or grants.
    pub async fn start(program: &Program, options: LocalOptions) -> Result<Self, LocalError> {
        Self::start_at(Sockets::default(), program, options).await
    }

    /// Does the same at sockets that are open already: the first one is for the service, the second one for the storage. Those
    /// that are missing are opened.
    pub(crate) async fn start_at(
        mut sockets: Sockets,
        program: &Program,
        options: LocalOptions,
    ) -> Result<Self, LocalError> {
        state_dir::open(&options.state_dir)?;
        let mut secrets = Secrets::read(&options.state_dir)?;
        let known = Known::new(program.manifest().variables(), &options.variables, &mut secrets)?;
        let limits = options.limits;
        let listener = sockets.next_or(options.listen).await?;
        let storage = match options.storage_listen {
            Some(listen) => {
                let directory = state_dir::storage(&options.state_dir);
                let storage = known.storage_options(listener.url(), listen, directory, limits);
                Some(Storage::start_at(sockets.next_or(listen).await?, storage)?)
            }
            None => None,
        };
        let variables = known.settle(listener.url(), storage.as_ref());
        let options = HostOptions {
            observer: Some(Arc::new(Metrics::new(&options.state_dir))),
            state_dir: options.state_dir,
            runtime_config: options.runtime_config,
            variables,
            limits,
        };
        settings::check(&Host::values(program, &options)?)?;
        let host = Host::start(program, listener, &options)?;
        Ok(Self { host, storage, limits })
    }

    /// The service's base URL, without a trailing slash.
    pub fn url(&self) -> &str {
        self.host.url()
    }

    /// The storage's base URL, without a trailing slash. `None`: there is no storage.
    pub fn storage_url(&self) -> Option<&str> {
        self.storage.as_ref().map(Storage::url)
    }

    /// The value of an application variable. `None`: the manifest does not declare it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.host.variable(name)
    }

    /// Refuses new connections and waits for running requests, up to [`Limits::stop_wait`]. Then stops the storage.
    pub async fn stop(self) {
        self.host.stop().await;
        if let Some(storage) = self.storage {
            storage.stop(self.limits.stop_wait).await;
        }
    }
}
