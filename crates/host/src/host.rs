//! A running application with its storage.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use hyper::service::service_fn;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::allowed_hosts::AllowedHosts;
use crate::error::HostError;
use crate::handler::App;
use crate::key_value::{KeyValueFile, KeyValueStore};
use crate::limits::Limits;
use crate::manifest::Component;
use crate::options::HostOptions;
use crate::outbound::Client;
use crate::program::Program;
use crate::runtime_config::RuntimeConfig;
use crate::secrets::Secrets;
use crate::server::{self, Tasks};
use crate::services::Services;
use crate::storage::{Bucket, Storage, StorageOptions};
use crate::template::render;
use crate::variables::{Sources, Values, resolve, to_generate};

/// The region that the embedded storage reports; it accepts any.
const REGION: &str = "us-east-1";

/// One application that is being served. Dropping it ends it at once; [`Host::stop`] lets it finish first.
#[derive(Debug)]
pub struct Host {
    url: String,
    variables: Values,
    storage: Option<Storage>,
    storage_options: Option<StorageOptions>,
    tasks: Tasks,
    limits: Limits,
}

impl Host {
    /// Starts the storage, settles all variables, and begins to serve. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// Unusable addresses, folders, variables or grants.
    pub async fn start(program: &Program, options: HostOptions) -> Result<Self, HostError> {
        std::fs::create_dir_all(&options.state_dir).map_err(HostError::file(&options.state_dir))?;
        let declared = &program.manifest().variables;
        let generated = generate(program, &options)?;
        let storage_options = storage_options(program, &options, &generated)?;
        let storage = match &storage_options {
            Some(options) => Some(Storage::start(options.clone()).await?),
            None => None,
        };
        let (listener, address) = server::listen(options.listen).await?;
        let url = base_url(address);
        let provided = provided(&url, storage.as_ref(), &generated, program, &options)?;
        let sources = Sources { given: &options.variables, provided: &provided, generated: &generated };
        let variables = resolve(declared, &sources)?;

        let tasks = Tasks::default();
        let services = services(program, &options, &variables)?;
        serve(listener, program, services, &options, &tasks);
        // From now on a restart must come back on the same port.
        let storage_options = storage.as_ref().map(|storage| storage.options().clone());
        Ok(Self { url, variables, storage, storage_options, tasks, limits: options.limits })
    }

    /// The application's base URL, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The storage's base URL, without a slash at the end; `None` while it does not run.
    pub fn storage_url(&self) -> Option<&str> {
        self.storage.as_ref().map(Storage::url)
    }

    /// The value of an application variable; `None` when the manifest does not declare it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// Stops the storage alone, as if it had failed. Does nothing when it does not run.
    pub async fn stop_storage(&mut self) {
        if let Some(storage) = self.storage.take() {
            storage.stop(self.limits.stop_wait).await;
        }
    }

    /// Starts a stopped storage again, at the same address and with the same content.
    ///
    /// # Errors
    /// When the address has been taken meanwhile.
    pub async fn start_storage(&mut self) -> Result<(), HostError> {
        if let (None, Some(options)) = (&self.storage, &self.storage_options) {
            self.storage = Some(Storage::start(options.clone()).await?);
        }
        Ok(())
    }

    /// Refuses new connections and waits for running requests, and for what components do after their answers, up to
    /// [`Limits::stop_wait`]. Then stops the storage.
    pub async fn stop(mut self) {
        self.tasks.stop(self.limits.stop_wait).await;
        self.stop_storage().await;
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.tasks.kill();
    }
}

fn base_url(address: SocketAddr) -> String {
    if address.ip().is_unspecified() {
        return format!("http://127.0.0.1:{}", address.port());
    }
    format!("http://{address}")
}

/// The secrets to fall back on, the storage's credentials among them.
fn generate(program: &Program, options: &HostOptions) -> Result<Values, HostError> {
    if !options.generate_secrets {
        return Ok(Values::new());
    }
    let mut names: Vec<&str> = to_generate(&program.manifest().variables, &options.variables).collect();
    names.extend(["s3_access_key", "s3_secret_key"]);
    names.sort_unstable();
    names.dedup();
    Secrets::read(&options.state_dir)?.get(names.into_iter())
}

/// The value that a variable will have, as far as that does not depend on the storage.
fn early(program: &Program, options: &HostOptions, generated: &Values, name: &str) -> Option<String> {
    let default = || program.manifest().variables.get(name).and_then(|variable| variable.default.as_ref());
    let value = options.variables.get(name).filter(|value| !value.is_empty());
    value.or_else(|| generated.get(name)).or_else(default).filter(|value| !value.is_empty()).cloned()
}

fn storage_options(
    program: &Program,
    options: &HostOptions,
    generated: &Values,
) -> Result<Option<StorageOptions>, HostError> {
    let Some(listen) = options.storage_listen else { return Ok(None) };
    let credential = |name| match early(program, options, generated, name) {
        Some(value) => Ok(value),
        None => crate::secrets::generate(),
    };
    let bucket =
        |(variable, public)| early(program, options, generated, variable).map(|name| Bucket { name, public });
    let buckets = [("s3_bucket", true), ("s3_bucket_private", false), ("s3_bucket_cdn", true)];
    Ok(Some(StorageOptions {
        listen,
        directory: options.state_dir.join("storage"),
        access_key: credential("s3_access_key")?,
        secret_key: credential("s3_secret_key")?,
        buckets: buckets.into_iter().filter_map(bucket).collect(),
        request_head_timeout: options.limits.request_head_timeout,
    }))
}

/// The variables that the host knows the values of: its own address and how to reach its storage.
fn provided(
    url: &str,
    storage: Option<&Storage>,
    generated: &Values,
    program: &Program,
    options: &HostOptions,
) -> Result<Values, HostError> {
    let mut values = Values::from([("api_url".to_owned(), url.to_owned())]);
    if let Some(storage) = storage {
        let credentials = storage.options();
        for (name, value) in [
            ("s3_api_endpoint", storage.url().to_owned()),
            ("s3_region", REGION.to_owned()),
            ("s3_access_key", credentials.access_key.clone()),
            ("s3_secret_key", credentials.secret_key.clone()),
        ] {
            values.insert(name.to_owned(), value);
        }
        if let Some(bucket) = early(program, options, generated, "s3_bucket") {
            values.insert("s3_public_url".to_owned(), format!("{}/{bucket}", storage.url()));
        }
    }
    Ok(values)
}

fn services(
    program: &Program,
    options: &HostOptions,
    variables: &Values,
) -> Result<BTreeMap<String, Arc<Services>>, HostError> {
    let config = match &options.runtime_config {
        Some(path) => RuntimeConfig::read(path)?,
        None => RuntimeConfig::default(),
    };
    let mut grants = Grants { config, options, variables, files: BTreeMap::new(), client: Arc::default() };
    let declared = &program.manifest().components;
    let routed = declared.iter().filter(|(id, _)| program.components().contains_key(*id));
    routed.map(|(id, component)| Ok((id.clone(), Arc::new(grants.of(id, component)?)))).collect()
}

/// Turns what the manifest grants into the things themselves. Components that name the same label share them.
struct Grants<'a> {
    config: RuntimeConfig,
    options: &'a HostOptions,
    variables: &'a Values,
    files: BTreeMap<std::path::PathBuf, Arc<KeyValueFile>>,
    client: Arc<Client>,
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
            client: self.client.clone(),
        })
    }

    fn key_value(&mut self, id: &str, label: &str) -> Result<KeyValueStore, HostError> {
        let path = self.config.key_value(label, &self.options.state_dir);
        let path = path
            .ok_or_else(|| HostError::component(id, format!("no key-value store `{label}` is configured")))?;
        if let Some(file) = self.files.get(&path) {
            return Ok(KeyValueStore::new(label, file.clone()));
        }
        create_parent(&path)?;
        let file = Arc::new(KeyValueFile::open(&path, self.options.limits.result_bytes)?);
        self.files.insert(path, file.clone());
        Ok(KeyValueStore::new(label, file))
    }

    fn database(&self, id: &str, label: &str) -> Result<Arc<Path>, HostError> {
        let path = self.config.sqlite(label, &self.options.state_dir);
        let path =
            path.ok_or_else(|| HostError::component(id, format!("no database `{label}` is configured")))?;
        create_parent(&path)?;
        Ok(path.into())
    }
}

fn create_parent(path: &Path) -> Result<(), HostError> {
    path.parent().map_or(Ok(()), |parent| std::fs::create_dir_all(parent).map_err(HostError::file(parent)))
}

fn serve(
    listener: TcpListener,
    program: &Program,
    services: BTreeMap<String, Arc<Services>>,
    options: &HostOptions,
    tasks: &Tasks,
) {
    let app = Arc::new(App {
        program: program.clone(),
        services,
        limits: options.limits,
        running: Arc::new(Semaphore::new(options.limits.concurrent_requests)),
        tasks: tasks.clone(),
    });
    server::serve(listener, tasks, options.limits.request_head_timeout, move |client| {
        let app = app.clone();
        service_fn(move |request| {
            let app = app.clone();
            async move { Ok::<_, std::convert::Infallible>(app.handle(request, client).await) }
        })
    });
}
