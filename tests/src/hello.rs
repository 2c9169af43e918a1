//! Servers that only answer hello, for measurements.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::driver::Driver;
use crate::embedded::build_components;
use crate::host_child::HostChild;
use crate::manifest::workspace;
use crate::redis::Redis;
use crate::spin::{KeyValues, Spin, Stores};

/// A running server with `/hello`; on Spin, also with `/plain-hello` and `/reading-hello`. It is a process of
/// its own.
pub struct Hello {
    running: Running,
    _redis: Option<Redis>,
    _dir: TempDir,
}

enum Running {
    Native(HostChild),
    Spin(Spin),
}

impl Hello {
    /// Builds and starts one. `program` has the command `hello`, for comparisons with the program of one
    /// machine; on Spin, components answer. `redis`: the key-value store on Spin, which is in memory
    /// otherwise.
    pub fn start(driver: Driver, program: &Path, redis: Option<Redis>) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let key_values = redis.as_ref().map_or(KeyValues::Memory, |redis| KeyValues::Redis(redis.url()));
        let stores = Stores { key_values, libsql: None };
        let running = match driver {
            Driver::Spin => Running::Spin(Spin::start_hello(manifest(), dir.path(), &stores)),
            _ => Running::Native(HostChild::of(Command::new(program).arg("hello"))),
        };
        Self { running, _redis: redis, _dir: dir }
    }

    pub fn url(&self) -> &str {
        match &self.running {
            Running::Native(host) => host.url(),
            Running::Spin(spin) => spin.url(),
        }
    }

    /// The process of the host, which may have children.
    pub fn host_process(&self) -> u32 {
        match &self.running {
            Running::Native(host) => host.id(),
            Running::Spin(spin) => spin.id(),
        }
    }
}

/// The manifest of the components, built once.
fn manifest() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let manifest = workspace().join("tests/hello/spin.toml");
        build_components(&manifest);
        manifest
    })
}
