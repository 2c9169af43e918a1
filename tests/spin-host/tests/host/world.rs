//! A host of the probe components, for one test.

use std::net::Ipv4Addr;
use std::sync::OnceLock;
use std::time::Duration;

use crate::common::{Answer, get};
use crate::probe::{manifest, target};
use spin_host::{Host, HostOptions, Limits, Metering, Program};
use spindrift_http::Listener;
use spindrift_manifest::Values;
use tempfile::TempDir;

/// The probe components, compiled only once for all tests.
pub(crate) fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM
        .get_or_init(|| Program::load(manifest(), &target().join("spin-host-cache"), Metering::Off).unwrap())
}

/// Time limit for something that is expected to happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct World {
    pub(crate) host: Host,
    pub(crate) state: TempDir,
}

pub(crate) async fn listener() -> Listener {
    Listener::bind((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap()
}

pub(crate) fn values(variables: &[(&str, &str)]) -> Values {
    variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(&[]).await
    }

    pub(crate) async fn with(variables: &[(&str, &str)]) -> Self {
        Self::on(tempfile::tempdir().unwrap(), values(variables), Limits::default()).await
    }

    pub(crate) async fn on(state: TempDir, mut variables: Values, limits: Limits) -> Self {
        let listener = listener().await;
        variables.entry("api_url".to_owned()).or_insert_with(|| listener.url().to_owned());
        let options = HostOptions { variables, limits, ..HostOptions::new(state.path()) };
        Self { host: Host::start(program(), listener, &options).unwrap(), state }
    }

    pub(crate) fn get(&self, target: &str) -> Answer {
        get(&format!("{}{target}", self.host.url()))
    }
}
