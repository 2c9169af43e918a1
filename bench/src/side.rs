//! One build, running.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use spindrift_tests::{World, until};

use crate::data::DataSet;
use crate::host::{BuildName, Host};
use crate::processes::Processes;
use crate::target::Server;

/// How long it may take until all devices are counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(10);

/// A host of one build, with its databases.
pub(crate) struct Side {
    pub(crate) build: BuildName,
    pub(crate) server: Server,
    world: World,
}

impl Side {
    /// Starts it with a copy of the data. `program` is this one.
    pub(crate) fn start(
        host: Host,
        build: BuildName,
        program: &Path,
        data: &DataSet,
    ) -> anyhow::Result<Self> {
        let world = data.given_to(host.world(build, program)).start();
        let process = world.host_process().context("a host that is a process")?;
        let server = Server::new(&world.url(), Processes::under(process))?;
        Ok(Self { build, server, world })
    }

    /// Checks that every request with a device is counted in the end.
    pub(crate) fn count(&self) -> anyhow::Result<()> {
        let (start, sent) = (Instant::now(), self.server.counted());
        let database = self.world.database();
        let mut counted = database.prepare("SELECT coalesce(sum(requests), 0) FROM telemetry")?;
        let counted = until("a count of devices", 2 * COUNTED_WITHIN, || {
            let requests: i64 = counted.query_row([], |row| row.get(0)).ok()?;
            let counted = u64::try_from(requests).ok()?;
            (counted == sent || start.elapsed() > COUNTED_WITHIN).then_some(counted)
        });
        let name = self.build.name();
        ensure!(counted == sent, "{name}: {sent} requests with a device, but {counted} are counted");
        println!("{name}: {sent} requests with a device, all counted");
        Ok(())
    }
}
