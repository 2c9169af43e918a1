//! A running application.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use http_body_util::BodyExt as _;
use hyper::service::service_fn;
use tokio::sync::Semaphore;

use crate::chain::Chain;
use crate::error::HostError;
use crate::grants::services;
use crate::handler::{App, Inside, Runnable};
use crate::limits::Limits;
use crate::options::HostOptions;
use crate::program::{Program, Ready};
use crate::reused::{Reused, Starter};
use crate::runtime_config::RuntimeConfig;
use crate::services::Services;
use spindrift_http::{BodyError, Listener, RequestBody, Tasks, serve};
use spindrift_manifest::{Values, resolve};

/// A running application. Dropping it ends it at once; [`Host::stop`] waits for running requests first.
#[derive(Debug)]
pub struct Host {
    url: String,
    variables: Values,
    tasks: Tasks,
    limits: Limits,
    /// By component.
    instructions: BTreeMap<String, Arc<AtomicU64>>,
}

impl Host {
    /// Determines the values of all variables, and begins to serve. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// Unusable folders, variables or grants.
    pub fn start(program: &Program, listener: Listener, options: &HostOptions) -> Result<Self, HostError> {
        std::fs::create_dir_all(&options.state_dir).map_err(HostError::file(&options.state_dir))?;
        // If another crate adds a second implementation of TLS, there is no default one: outgoing
        // https requests would panic. An error means that a default was already chosen.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        let config = configuration(options)?;
        let variables = values(program, options, &config)?;
        let services = services(program, options, config, &variables)?;
        let instructions = services.iter().map(|(id, of)| (id.clone(), of.instructions.clone())).collect();
        let (url, tasks, limits) = (listener.url().to_owned(), Tasks::default(), options.limits);
        serve_program(listener, program, services, options, &tasks);
        Ok(Self { url, variables, tasks, limits, instructions })
    }

    /// The values that all variables would have with these options.
    ///
    /// # Errors
    /// An unusable runtime configuration, unknown variables, or variables without a value.
    pub fn values(program: &Program, options: &HostOptions) -> Result<Values, HostError> {
        values(program, options, &configuration(options)?)
    }

    /// The application's base URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The value of an application variable. `None`: the manifest does not declare it.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The instructions of a component's instances of preview 2 that have ended. 0 without
    /// [`Metering::Instructions`](crate::Metering).
    pub fn instructions(&self, component: &str) -> u64 {
        self.instructions.get(component).map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// Refuses new connections, then waits for running requests and for the work of components after their
    /// answers, up to the limit for stopping.
    pub async fn stop(self) {
        self.tasks.stop(self.limits.connections.stop_wait).await;
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.tasks.kill();
    }
}

fn configuration(options: &HostOptions) -> Result<RuntimeConfig, HostError> {
    options.runtime_config.as_deref().map_or_else(|| Ok(RuntimeConfig::default()), RuntimeConfig::read)
}

fn values(program: &Program, options: &HostOptions, config: &RuntimeConfig) -> Result<Values, HostError> {
    let declared = &program.manifest().variables;
    let mut given = config.variables();
    given.retain(|name, _| declared.contains_key(name));
    given.extend(options.variables.clone());
    Ok(resolve(declared, &given)?)
}

fn wasi_error(error: BodyError) -> wasmtime_wasi_http::Error {
    match error {
        BodyError::Connection(error) => error.into(),
        BodyError::TooSlow => wasmtime_wasi_http::Error::ConnectionReadTimeout,
    }
}

fn serve_program(
    listener: Listener,
    program: &Program,
    services: BTreeMap<String, Arc<Services>>,
    options: &HostOptions,
    tasks: &Tasks,
) {
    let limits = options.limits;
    let app = Arc::new_cyclic(|app: &Weak<App>| {
        let chain: Arc<dyn Chain> = Arc::new(Inside(app.clone()));
        App {
            program: program.clone(),
            components: runnable(program, services, &chain, tasks),
            chain,
            limits,
            running: Arc::new(Semaphore::new(limits.concurrent_requests)),
            tasks: tasks.clone(),
        }
    });
    serve(listener, tasks, limits.connections, move |client| {
        let app = app.clone();
        service_fn(move |request| {
            let app = app.clone();
            let request = RequestBody::of(request, limits.connections).map(|body| body.map_err(wasi_error));
            async move { Ok::<_, std::convert::Infallible>(app.handle(request, client).await) }
        })
    });
}

fn runnable(
    program: &Program,
    services: BTreeMap<String, Arc<Services>>,
    chain: &Arc<dyn Chain>,
    tasks: &Tasks,
) -> BTreeMap<String, Runnable> {
    let with_services = services.into_iter().filter_map(|(id, services)| {
        let runnable = match program.components().get(&id)?.clone() {
            Ready::Single(pre) => Runnable::Single(pre, services),
            Ready::Reused(pre) => Runnable::Reused(Reused::new(Starter {
                pre,
                services,
                chain: chain.clone(),
                slots: program.slots().clone(),
                tasks: tasks.clone(),
            })),
        };
        Some((id, runnable))
    });
    with_services.collect()
}
