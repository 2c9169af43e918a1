//! The service with its storage.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use embedded_host::{Host, HostOptions, Limits, Listener, Program, Storage, Values};

use crate::error::LocalError;
use crate::secrets::Secrets;
use crate::variables::Known;

/// How to run the service. The default of [`LocalOptions::new`] listens on free local ports.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Where the service listens; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where the object storage listens; `None` runs without one.
    pub storage_listen: Option<SocketAddr>,
    /// Folder for databases, key-value stores, objects and secrets. Created when missing.
    pub state_dir: PathBuf,
    /// Which files stand behind store labels; `None` knows only the label `default`.
    pub runtime_config: Option<PathBuf>,
    /// Values of application variables; stronger than anything else.
    pub variables: Values,
    /// Limits on requests and instances.
    pub limits: Limits,
}

impl LocalOptions {
    /// On free ports, with a storage, and with nothing given.
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

/// A running service with its storage. Dropping it ends both at once; [`Local::stop`] lets them finish first.
#[derive(Debug)]
pub struct Local {
    host: Host,
    storage: Option<Storage>,
    limits: Limits,
}

impl Local {
    /// Starts the storage, settles all variables, and begins to serve. Must be called inside a tokio runtime.
    ///
    /// A variable has the value that was given, or else what is known here (where service and storage are), or else, for a
    /// secret with an empty default, one that is made up and kept in the state folder, or else the manifest's default.
    ///
    /// # Errors
    /// Unusable addresses, folders, variables or grants.
    pub async fn start(program: &Program, options: LocalOptions) -> Result<Self, LocalError> {
        let mut secrets = Secrets::read(&options.state_dir)?;
        let known = Known::new(program.manifest().variables(), &options.variables, &mut secrets)?;
        let limits = options.limits;
        let storage = match options.storage_listen {
            Some(listen) => {
                let directory = options.state_dir.join("storage");
                Some(Storage::start(known.storage_options(listen, directory, limits)).await?)
            }
            None => None,
        };
        let listener = Listener::bind(options.listen).await?;
        let variables = known.settle(listener.url(), storage.as_ref());
        let (state_dir, runtime_config) = (options.state_dir, options.runtime_config);
        let host =
            Host::start(program, listener, &HostOptions { state_dir, runtime_config, variables, limits })?;
        Ok(Self { host, storage, limits })
    }

    /// The service's base URL, without a slash at the end.
    pub fn url(&self) -> &str {
        self.host.url()
    }

    /// The storage's base URL, without a slash at the end; `None` where there is none.
    pub fn storage_url(&self) -> Option<&str> {
        self.storage.as_ref().map(Storage::url)
    }

    /// The value of an application variable; `None` when the manifest does not declare it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.host.variable(name)
    }

    /// Refuses new connections and waits for what is going on, up to [`Limits::stop_wait`]. Then stops the storage.
    pub async fn stop(self) {
        self.host.stop().await;
        if let Some(storage) = self.storage {
            storage.stop(self.limits.stop_wait).await;
        }
    }
}
