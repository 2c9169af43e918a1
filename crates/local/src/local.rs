//! The service and its storage.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use spindrift_manifest::{Manifest, Values, resolve};
use spindrift_native::NativePlatform;
use spindrift_server::{Application, MANIFEST, Server, ServerLimits};
use spindrift_store::Storage;

use crate::error::LocalError;
use crate::metrics::Metrics;
use crate::secrets::Secrets;
use crate::settings;
use crate::sockets::Sockets;
use crate::state_dir;
use crate::state_lock::StateLock;
use crate::variables::ProvidedValues;

/// Options for running the service. [`LocalOptions::new`] uses free local ports.
#[derive(Debug, Clone)]
pub struct LocalOptions {
    /// Where the service listens; port 0 picks a free one.
    pub listen: SocketAddr,
    /// Where the object storage listens; `None` runs without one.
    pub storage_listen: Option<SocketAddr>,
    /// Folder for the database, objects and secrets. Created if missing.
    pub state_dir: PathBuf,
    /// Values of application variables. They take precedence over all other sources.
    pub variables: Values,
    /// Names of users whose passkeys and recovery codes are removed before anything is served.
    pub reset_passkeys: Vec<String>,
    /// Limits on clients and requests.
    pub limits: ServerLimits,
}

impl LocalOptions {
    /// Uses free ports, a storage, and no variables.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        let free_port = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        Self {
            listen: free_port,
            storage_listen: Some(free_port),
            state_dir: state_dir.into(),
            variables: Values::new(),
            reset_passkeys: Vec::new(),
            limits: ServerLimits::default(),
        }
    }
}

/// The manifest of the service.
pub(crate) fn manifest() -> Result<Manifest, LocalError> {
    Ok(Manifest::parse(Path::new("spin.toml"), MANIFEST)?)
}

/// A running service with its storage. Dropping it ends both at once; [`Local::stop`] waits for running
/// requests first.
#[derive(Debug)]
pub struct Local {
    server: Server,
    storage: Option<Storage>,
    variables: Values,
    limits: ServerLimits,
    _lock: StateLock,
}

impl Local {
    /// Starts the storage, determines all variables, and starts to serve. Must be called inside a tokio
    /// runtime.
    ///
    /// The value of a variable is the first of these: the given value; the value known here (URLs and
    /// credentials of service and storage); for a secret with an empty default, a generated value, which is
    /// kept in the state folder; the default in the manifest.
    ///
    /// # Errors
    /// Addresses, folders, variables or settings are unusable, or another process runs the service of the
    /// state folder.
    pub async fn start(options: LocalOptions) -> Result<Self, LocalError> {
        Self::start_at(Sockets::default(), options).await
    }

    /// Like [`Local::start`], with sockets that are already open: the first is for the service, the second
    /// for the storage. Opens those that are missing.
    pub(crate) async fn start_at(mut sockets: Sockets, options: LocalOptions) -> Result<Self, LocalError> {
        state_dir::open(&options.state_dir)?;
        let lock = StateLock::take(&options.state_dir)?;
        let manifest = manifest()?;
        let mut secrets = Secrets::read(&options.state_dir)?;
        let provided = ProvidedValues::new(&manifest.variables, &options.variables, &mut secrets)?;
        let limits = options.limits;
        let listener = sockets.next_or(options.listen).await?;
        let storage = match options.storage_listen {
            Some(listen) => {
                let directory = state_dir::storage(&options.state_dir);
                let storage = provided.storage_options(listener.url(), listen, directory, limits.connections);
                Some(Storage::start_at(sockets.next_or(listen).await?, storage)?)
            }
            None => None,
        };
        let variables = resolve(&manifest.variables, &provided.resolve(listener.url(), storage.as_ref()))?;
        settings::check(&variables)?;
        let platform = NativePlatform::new(&options.state_dir);
        for (name, value) in &variables {
            platform.set_variable(name, value);
        }
        for name in &options.reset_passkeys {
            spindrift_server::reset_passkeys(&platform, name)
                .map_err(|error| LocalError::ResetPasskeys(error.to_string()))?;
        }
        let application = Application::from_manifest(&manifest, platform)?;
        let metrics = Arc::new(Metrics::new(&options.state_dir));
        let server = Server::start(application, listener, limits, Some(metrics));
        Ok(Self { server, storage, variables, limits, _lock: lock })
    }

    /// The service's base URL, without a trailing slash.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    /// The storage's base URL, without a trailing slash. `None` if there is no storage.
    pub fn storage_url(&self) -> Option<&str> {
        self.storage.as_ref().map(Storage::url)
    }

    /// The value of an application variable. `None` if the manifest does not declare it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Refuses new connections and waits for running requests, up to the limit. Then stops the storage.
    pub async fn stop(self) {
        self.server.stop().await;
        if let Some(storage) = self.storage {
            storage.stop(self.limits.connections.stop_wait).await;
        }
    }
}
