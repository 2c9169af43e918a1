//! An edge deployment: `deploy/edge/spin.toml` in front of a world.

use std::net::TcpListener;
use std::time::Duration;

use spindrift_native::NativePlatform;
use tempfile::TempDir;

use crate::client::{Call, Client};
use crate::driver::Driver;
use crate::embedded;
use crate::in_process::Bound;
use crate::manifest::{self, Variables};
use crate::records;
use crate::running::Running;
use crate::spin::Spin;
use crate::wait::until;
use crate::world::World;

/// Time limit for an origin to end.
const END_LIMIT: Duration = Duration::from_secs(30);

/// A running edge deployment with its own key-value store, and no database or storage.
pub struct Edge {
    running: Running,
    dir: TempDir,
    client: Client,
}

impl Edge {
    /// An edge with a world as its origin.
    pub fn of(origin: &World, driver: Driver) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let origin_url = ("origin_url".to_owned(), origin.url());
        let variables = Variables::from([origin_url]);
        let running = match driver {
            Driver::InProcess => {
                let (platform, manifest) =
                    (NativePlatform::recording_uses(dir.path()), manifest::edge_of_parts());
                for (name, value) in &variables {
                    platform.set_variable(name, value);
                }
                let granted = manifest::granted(&manifest);
                Running::InProcess(Box::new(Bound::new().serve(platform, &manifest, granted)))
            }
            Driver::Embedded => Running::Embedded(Box::new(embedded::start_edge(dir.path(), variables))),
            Driver::Spin => Running::Spin(Spin::start_edge(dir.path(), &variables)),
        };
        let client = origin.client().elsewhere(&running.url()).of_a_part();
        Self { running, dir, client }
    }

    /// GET without credentials.
    pub fn get(&self, path: &str) -> Call<'_> {
        self.client.get(path)
    }

    /// HEAD without credentials.
    pub fn head(&self, path: &str) -> Call<'_> {
        self.client.head(path)
    }

    /// The platform of its components; only in the in-process driver.
    pub fn platform(&self) -> &NativePlatform {
        self.running.platform()
    }

    /// Makes everything stored at the edge older by `seconds`.
    pub fn age(&self, seconds: i64) {
        if let Running::InProcess(server) = &self.running {
            server.platform().advance(Duration::from_secs(seconds.unsigned_abs()));
            return;
        }
        records::change(self.dir.path(), &|derived| derived.plus_seconds(-seconds));
    }
}

/// Ends a world. From now on, connections to its address are refused, and no other process can get the
/// address.
pub fn end(origin: World) {
    let address = origin.url().trim_start_matches("http://").to_owned();
    drop(origin);
    let listener = until("the origin's end", END_LIMIT, || TcpListener::bind(&address).ok());
    std::thread::spawn(move || listener.incoming().for_each(drop));
}
