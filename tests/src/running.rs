//! The running service of a world, on any driver.

use std::path::Path;

use spin_host::Host;
use spindrift_native::{NativePlatform, Use};

use crate::balancer::Balancer;
use crate::build::Build;
use crate::driver::Driver;
use crate::embedded;
use crate::free_address::free_address;
use crate::host_child::{HostChild, Launch};
use crate::in_process::{Bound, InProcess};
use crate::manifest::{self, SERVICE, Variables};
use crate::spin::{Service, Spin, Stores, write_runtime_config};

pub(crate) enum Running {
    InProcess(Box<InProcess>),
    Embedded(Box<Host>),
    Process(HostChild),
    Spin(Spin),
    /// Several that share their stores, behind one address.
    Spins {
        balancer: Balancer,
        spins: Vec<Spin>,
    },
}

pub(crate) struct Runner<'a> {
    pub(crate) driver: Driver,
    /// The program of one machine, if the server is to be a process of its own.
    pub(crate) program: Option<&'a Path>,
    /// The file to which such a process appends its log. `None`: it is lost.
    pub(crate) log: Option<&'a Path>,
    /// The build that a host runs.
    pub(crate) build: Build,
    /// The stores of Spin, and of the runner of `.wasm` files, which has only local ones.
    pub(crate) stores: Stores,
    /// How many Spins there are.
    pub(crate) spins: usize,
    /// A grant that a component does not get.
    pub(crate) lost: Option<&'a Use>,
    /// Environment variables of Spin.
    pub(crate) environment: &'a [(String, String)],
}

impl Runner<'_> {
    /// Starts the service with its databases in a folder.
    pub(crate) fn start(self, state_dir: &Path, variables: &Variables) -> Running {
        let Self { driver, program, log, build, stores, spins, lost, environment } = self;
        match (driver, program) {
            (Driver::InProcess, None) => {
                Running::InProcess(Box::new(start_in_process(state_dir, variables, lost)))
            }
            (Driver::InProcess, Some(program)) => Running::Process(HostChild::start(&Launch {
                program,
                state_dir,
                variables,
                listen: "127.0.0.1:0",
                storage_listen: None,
                log,
            })),
            (Driver::Embedded, _) => {
                let config = write_runtime_config(state_dir, &stores);
                Running::Embedded(Box::new(embedded::start(
                    build,
                    state_dir,
                    config,
                    variables.clone(),
                    lost,
                )))
            }
            (Driver::Spin, _) => {
                let service = Service { build, stores, lost, environment };
                match spins {
                    1 => Running::Spin(Spin::start(state_dir, variables, &service)),
                    _ => start_spins(spins, state_dir, variables.clone(), &service),
                }
            }
        }
    }
}

fn start_spins(count: usize, dir: &Path, mut variables: Variables, service: &Service<'_>) -> Running {
    assert!(service.stores.are_shared(), "several Spins need stores that are not files");
    let address = free_address();
    variables.entry("api_url".to_owned()).or_insert_with(|| format!("http://{address}"));
    let start = |n| {
        let dir = dir.join(format!("spin-{n}"));
        std::fs::create_dir(&dir).expect("a folder");
        Spin::start(&dir, &variables, service)
    };
    let spins: Vec<Spin> = (1..=count).map(start).collect();
    let urls: Vec<String> = spins.iter().map(|spin| spin.url().to_owned()).collect();
    let balancer = Balancer::start(&address, &urls);
    Running::Spins { balancer, spins }
}

fn start_in_process(state_dir: &Path, variables: &Variables, lost: Option<&Use>) -> InProcess {
    let bound = Bound::new();
    let platform = NativePlatform::recording_uses(state_dir);
    let whole = manifest::read(SERVICE);
    for (name, variable) in &whole.variables {
        platform.set_variable(name, variable.default.as_deref().unwrap_or_default());
    }
    platform.set_variable("api_url", &bound.url());
    for (name, value) in variables {
        platform.set_variable(name, value);
    }
    let granted = manifest::granted(&whole);
    bound.serve(platform, &lost.map_or(whole, manifest::without), granted)
}

impl Running {
    pub(crate) fn url(&self) -> String {
        match self {
            Self::InProcess(server) => server.url(),
            Self::Embedded(host) => host.url().to_owned(),
            Self::Process(host) => host.url().to_owned(),
            Self::Spin(spin) => spin.url().to_owned(),
            Self::Spins { balancer, .. } => balancer.url().to_owned(),
        }
    }

    /// The base URL of one host, also where a proxy is in front of several.
    pub(crate) fn host_url(&self) -> String {
        match self {
            Self::Spins { spins, .. } => spins.first().map(|spin| spin.url().to_owned()).unwrap_or_default(),
            _ => self.url(),
        }
    }

    pub(crate) fn platform(&self) -> &NativePlatform {
        match self {
            Self::InProcess(server) => server.platform(),
            _ => panic!("faults and time are for the in-process driver"),
        }
    }

    /// The processes of the hosts. Empty: there is one, which runs in this process.
    pub(crate) fn processes(&self) -> Vec<u32> {
        match self {
            Self::InProcess(_) | Self::Embedded(_) => Vec::new(),
            Self::Process(host) => vec![host.id()],
            Self::Spin(spin) => vec![spin.id()],
            Self::Spins { spins, .. } => spins.iter().map(Spin::id).collect(),
        }
    }
}
