//! A running application with its storage.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use hyper::service::service_fn;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::drain::Drained;
use crate::error::HostError;
use crate::grants::services;
use crate::handler::App;
use crate::limits::Limits;
use crate::options::HostOptions;
use crate::program::Program;
use crate::secrets::Secrets;
use crate::server::{self, Tasks};
use crate::services::Services;
use crate::storage::{Bucket, Storage, StorageOptions};
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
        let provided = provided(&url, storage.as_ref(), &generated, program, &options);
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
) -> Values {
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
    values
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
            let (app, request) = (app.clone(), Drained::request(request));
            async move { Ok::<_, std::convert::Infallible>(app.handle(request, client).await) }
        })
    });
}
