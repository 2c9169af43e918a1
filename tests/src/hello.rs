//! Components that only answer hello, for measurements.

use std::sync::OnceLock;

use embedded_host::{Host, Program};
use tempfile::TempDir;

use crate::driver::Driver;
use crate::embedded::{cache_dir, start_program};
use crate::manifest::{Variables, workspace};
use crate::spin::Spin;

/// A running host of the components of `tests/hello`, at `/hello` and `/plain-hello`.
pub struct Hello {
    running: Running,
    _dir: TempDir,
}

enum Running {
    Embedded(Box<Host>),
    Spin(Spin),
}

impl Hello {
    /// Builds and starts them. The in-process driver has no host to measure.
    pub fn start(driver: Driver) -> Self {
        static BUILT: OnceLock<Program> = OnceLock::new();
        let manifest = workspace().join("tests/hello/spin.toml");
        let program = BUILT.get_or_init(|| {
            embedded_host::build(&embedded_host::Manifest::read(&manifest).expect("a valid manifest"))
                .expect("components that build");
            Program::load(&manifest, &cache_dir()).expect("components that load")
        });
        let dir = tempfile::tempdir().expect("a folder");
        let running = match driver {
            Driver::Spin => Running::Spin(Spin::start_hello(&manifest, dir.path())),
            _ => Running::Embedded(Box::new(start_program(program, dir.path(), |_| Variables::new()))),
        };
        Self { running, _dir: dir }
    }

    /// The base URL.
    pub fn url(&self) -> String {
        match &self.running {
            Running::Embedded(host) => host.url().to_owned(),
            Running::Spin(spin) => spin.url().to_owned(),
        }
    }
}
