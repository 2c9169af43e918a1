//! A running build.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use spindrift_tests::{World, until};

use crate::data::{CONNECTIONS, DataSet};
use crate::host::BuildName;
use crate::load::touch;
use crate::seed;
use crate::setup::Setup;
use crate::target::{Server, Target};
use spindrift_tests::Processes;

/// How long the count of devices may stand still while some are missing.
const COUNTS_WITHIN: Duration = Duration::from_mins(1);
/// Time limit for counting all devices.
const COUNTED_WITHIN: Duration = Duration::from_mins(10);

/// Requests of devices that are counted.
const COUNT: &str = "SELECT coalesce(sum(requests), 0) FROM telemetry";

/// A host of one build, with its databases.
pub(crate) struct Side {
    pub(crate) build: BuildName,
    pub(crate) server: Server,
    world: World,
    /// Whether records are in the host's memory, which no other process can change.
    records_in_memory: bool,
}

impl Side {
    /// Starts it with a copy of the data. It has all records.
    pub(crate) fn start(setup: &Setup, build: BuildName, data: &DataSet) -> anyhow::Result<Self> {
        let world = data.world(setup, build)?.start();
        let process = world.host_process().context("a host that is a process")?;
        let server = Server::new(&world.url(), Processes::under(process))?;
        let records_in_memory = setup.has_records_in_memory();
        if records_in_memory {
            let check: fn(u32) -> String = seed::check_path;
            for (path, status) in [(check, 200), (seed::feed_path, 200), (seed::latest_path, 302)] {
                let target = Target::new("records", &server, path).with_status(status);
                touch(&target, CONNECTIONS, data.apps)?;
            }
        }
        Ok(Self { build, server, world, records_in_memory })
    }

    /// Makes all stored records appear newly derived, if that is possible.
    pub(crate) fn freshen_records(&self) {
        if !self.records_in_memory {
            self.world.freshen_records();
        }
    }

    /// Prints the memory of the host.
    pub(crate) fn print_memory(&self) {
        println!("{}: the host uses {}", self.build.name(), self.server.processes().memory());
    }

    /// Checks that every request with a device is counted in the end.
    pub(crate) fn count(&self) -> anyhow::Result<()> {
        let sent = i64::try_from(self.server.counted())?;
        let reader = self.world.admin("reader");
        let (start, mut last) = (Instant::now(), (Instant::now(), Ok(0)));
        let counted = until("a count of devices", COUNTED_WITHIN, || {
            // Waiting devices are counted before figures are read.
            drop(reader.get("/telemetry").send());
            let counted = self.world.number(COUNT);
            if counted != last.1 {
                last = (Instant::now(), counted.clone());
            }
            (counted == Ok(sent) || last.0.elapsed() > COUNTS_WITHIN).then_some(counted)
        });
        let name = self.build.name();
        let counted = counted.map_err(anyhow::Error::msg)?;
        ensure!(counted == sent, "{name}: {sent} requests with a device, but {counted} are counted");
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {sent} requests with a device, all counted after {seconds:.1} s");
        Ok(())
    }
}
