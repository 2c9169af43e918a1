//! Components that only answer hello, for measurements.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::driver::Driver;
use crate::embedded::build_components;
use crate::host_child::{HostChild, Launch};
use crate::manifest::{Variables, workspace};
use crate::redis::Redis;
use crate::spin::{KeyValues, Spin, Stores};

/// A running host of the components of `tests/hello`, at `/hello`, `/plain-hello` and `/reading-hello`. It is a process of its
/// own.
pub struct Hello {
    running: Running,
    _redis: Option<Redis>,
    _dir: TempDir,
}

enum Running {
    Embedded(HostChild),
    Spin(Spin),
}

impl Hello {
    /// Builds and starts them. `program` is that of the embedded host, and ends in `spindrift_local::main_from_args`. The
    /// in-process driver has no host to measure. `redis`: the key-value store on Spin, which is in memory otherwise.
    pub fn start(driver: Driver, program: &Path, redis: Option<Redis>) -> Self {
        static BUILT: OnceLock<PathBuf> = OnceLock::new();
        let manifest = BUILT.get_or_init(|| {
            let manifest = workspace().join("tests/hello/spin.toml");
            build_components(&manifest);
            manifest
        });
        let dir = tempfile::tempdir().expect("a folder");
        let key_values = redis.as_ref().map_or(KeyValues::Memory, |redis| KeyValues::Redis(redis.url()));
        let stores = Stores { key_values, libsql: None };
        let running = match driver {
            Driver::Spin => Running::Spin(Spin::start_hello(manifest, dir.path(), &stores)),
            _ => Running::Embedded(HostChild::start(&Launch {
                program,
                manifest,
                state_dir: dir.path(),
                runtime_config: None,
                variables: &Variables::new(),
                listen: "127.0.0.1:0",
                storage_listen: None,
                log: None,
            })),
        };
        Self { running, _redis: redis, _dir: dir }
    }

    /// The base URL.
    pub fn url(&self) -> &str {
        match &self.running {
            Running::Embedded(host) => host.url(),
            Running::Spin(spin) => spin.url(),
        }
    }

    /// The process of the host, which may have children.
    pub fn host_process(&self) -> u32 {
        match &self.running {
            Running::Embedded(host) => host.id(),
            Running::Spin(spin) => spin.id(),
        }
    }
}
