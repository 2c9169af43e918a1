//! What installed copies ask, each next to a component that only answers hello.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use clap::Args;
use spindrift_tests::{Driver, Hello, World, until};

use crate::host::{BuildName, Host};
use crate::processes::Processes;
use crate::questions;
use crate::seed;
use crate::target::{Server, Target};
use crate::turns::Turns;

/// How long it may take until all devices are counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(10);

/// What to measure on, and for how long. A run takes about five minutes for each data set on Spin with both builds, and half
/// of that with one build, besides compiling. Run nothing else at the same time.
#[derive(Debug, Args)]
pub(crate) struct Answers {
    /// The host. `spin` is the program in `SPIN_BIN`, or else in the PATH.
    #[arg(long, value_enum, default_value_t = Host::Embedded)]
    host: Host,
    /// The builds of the components, which are measured side by side; by default all that the host runs.
    #[arg(long, value_enum, value_delimiter = ',')]
    builds: Vec<BuildName>,
    /// Numbers of applications, measured one after the other.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10_000])]
    apps: Vec<u32>,
    /// Releases of each application.
    #[arg(long, default_value_t = 20)]
    releases: u32,
    #[command(flatten)]
    turns: Turns,
}

/// One build, running.
struct Side {
    build: BuildName,
    world: World,
    server: Server,
}

impl Answers {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let builds = if self.builds.is_empty() { self.host.builds() } else { &self.builds };
        for build in builds {
            ensure!(
                self.host.builds().contains(build),
                "the embedded host runs no build for {}",
                build.name()
            );
        }
        let program = std::env::current_exe()?;
        let driver = self.host.driver();
        let hello = Hello::start(driver, &program);
        let of_hello = Server::new(hello.url(), Processes::under(hello.host_process()))?;
        self.turns.announce();
        for apps in &self.apps {
            println!("\n{apps} applications with {} releases each", self.releases);
            let folder = tempfile::tempdir()?;
            let database = seed::seed(folder.path(), *apps, self.releases)?;
            let sides: Vec<Side> = builds
                .iter()
                .map(|build| Side::start(driver, *build, &program, &database))
                .collect::<anyhow::Result<_>>()?;
            self.measure(&of_hello, &sides, *apps)?;
        }
        Ok(())
    }

    fn measure(&self, hello: &Server, sides: &[Side], apps: u32) -> anyhow::Result<()> {
        let is_hello = |answer: &str| answer.to_lowercase().contains("hello");
        let mut targets = vec![
            Target::new("lean hello", hello, |_| "/hello".to_owned()).verified(is_hello)?,
            Target::new("plain hello", hello, |_| "/plain-hello".to_owned()).verified(is_hello)?,
        ];
        let mut questions = Vec::new();
        for Side { build, world, server } in sides {
            let suffix = if sides.len() > 1 { format!(", {}", build.name()) } else { String::new() };
            questions.push(questions::targets(world, server, apps, &suffix)?.into_iter());
        }
        while let Some(row) = questions.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
            targets.extend(row);
        }
        let named = sides.iter().map(|side| (side.build.name(), &side.server));
        let servers: Vec<_> = [("hello", hello)].into_iter().chain(named).collect();
        for (_, server) in &servers {
            // Where the system does not do that, it does not report the peak either.
            let _reset = server.processes().reset_peak();
        }
        self.turns.compare(&targets)?;
        println!();
        for (name, server) in servers {
            let mib =
                |kib: Option<u64>| kib.map_or_else(|| "?".to_owned(), |kib| format!("{} MiB", kib / 1024));
            let (now, peak) = (server.processes().memory_kib(), server.processes().peak_kib());
            println!("memory of the host of {name}: {}, at most {}", mib(now), mib(peak));
        }
        sides.iter().try_for_each(Side::count)
    }
}

impl Side {
    fn start(driver: Driver, build: BuildName, program: &Path, database: &Path) -> anyhow::Result<Self> {
        let world = World::builder(driver).with_build(build.build()).with_database(database);
        let world = if driver == Driver::Embedded { world.as_process(program) } else { world }.start();
        let process = world.host_process().context("a host that is a process")?;
        let server = Server::new(&world.url(), Processes::under(process))?;
        Ok(Self { build, world, server })
    }

    /// Checks that every request with a device is counted in the end.
    fn count(&self) -> anyhow::Result<()> {
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
