//! What installed copies ask, each next to a component that only answers hello.

use anyhow::ensure;
use clap::Args;
use spindrift_tests::Hello;

use crate::data::DataSet;
use crate::host::{BuildName, Host};
use crate::processes::Processes;
use crate::questions;
use crate::side::Side;
use crate::target::{Server, Target};
use crate::turns::Turns;

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
        let hello = Hello::start(self.host.driver(), &program);
        let of_hello = Server::new(hello.url(), Processes::under(hello.host_process()))?;
        self.turns.announce();
        for apps in &self.apps {
            println!("\n{apps} applications with {} releases each", self.releases);
            let data = DataSet::new(self.host, &program, *apps, self.releases)?;
            let sides = builds.iter().map(|build| Side::start(self.host, *build, &program, &data));
            self.measure(&of_hello, &sides.collect::<anyhow::Result<Vec<_>>>()?, &data)?;
        }
        Ok(())
    }

    fn measure(&self, hello: &Server, sides: &[Side], data: &DataSet) -> anyhow::Result<()> {
        let is_hello = |answer: &str| answer.to_lowercase().contains("hello");
        let mut targets = vec![
            Target::new("lean hello", hello, |_| "/hello".to_owned()).verified(is_hello)?,
            Target::new("plain hello", hello, |_| "/plain-hello".to_owned()).verified(is_hello)?,
        ];
        let mut questions = Vec::new();
        for side in sides {
            let suffix = if sides.len() > 1 { format!(", {}", side.build.name()) } else { String::new() };
            questions.push(questions::targets(&side.server, data, &suffix)?.into_iter());
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
