//! Update checks, next to components that do nothing.

use std::path::Path;
use std::time::Instant;

use clap::Args;
use embedded_host::{Manifest, Program, build};
use spindrift_host::{Local, LocalOptions};

use crate::load::Target;
use crate::seed;
use crate::turns::Turns;

/// What to measure, and for how long.
#[derive(Debug, Args)]
pub(crate) struct Checks {
    /// Applications in the smaller data set.
    #[arg(long, default_value_t = 1_000)]
    apps: u32,
    /// Releases of each application.
    #[arg(long, default_value_t = 20)]
    releases: u32,
    /// Factor between the second data set and the first; 1 omits the second.
    #[arg(long, default_value_t = 10)]
    factor: u32,
    #[command(flatten)]
    turns: Turns,
}

/// How long a scope record is used without the database, in seconds. After that, it is compared with the database.
const RECORD_MAX_AGE_SECONDS: f64 = 60.0;

impl Checks {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        self.turns.announce();
        let hello = start(&runtime, Path::new("tests/hello/spin.toml"), &folder.path().join("hello"))?;
        for factor in [1, self.factor] {
            let apps = self.apps * factor;
            let state = folder.path().join(format!("apps-{apps}"));
            seed::seed(&state, apps, self.releases)?;
            let service = start(&runtime, Path::new("spin.toml"), &state)?;
            println!("\n{apps} applications with {} releases each", self.releases);
            let targets = [
                Target::new("plain hello", hello.url(), |_| "/plain-hello".to_owned())?,
                Target::new("lean hello", hello.url(), |_| "/hello".to_owned())?,
                Target::new("checkVersion", service.url(), move |n| seed::check_path(n % apps))?,
            ];
            self.report(&targets, apps)?;
            runtime.block_on(service.stop());
            if self.factor <= 1 {
                break;
            }
        }
        runtime.block_on(hello.stop());
        Ok(())
    }

    fn report(&self, targets: &[Target; 3], apps: u32) -> anyhow::Result<()> {
        let [_, _, check] = targets;
        let start = Instant::now();
        let touched = check.touch(self.turns.connections, apps)?.as_secs_f64();
        println!(
            "first checks: {:.0} req/s, each deriving a record from the database; it is good for {RECORD_MAX_AGE_SECONDS} s",
            f64::from(apps) / touched
        );
        let check = self.turns.compare(targets)?;
        let again = start.elapsed().as_secs_f64() > RECORD_MAX_AGE_SECONDS;
        println!(
            "in these figures records were {}; under this load all the time, 1 of {:.0} checks renews one",
            if again { "renewed once they were too old" } else { "read, not renewed" },
            (check.per_second * RECORD_MAX_AGE_SECONDS / f64::from(apps)).max(1.0)
        );
        Ok(())
    }
}

/// Builds and starts the application in a manifest.
fn start(runtime: &tokio::runtime::Runtime, manifest: &Path, state: &Path) -> anyhow::Result<Local> {
    build(&Manifest::read(manifest)?)?;
    let program = Program::load(manifest, Path::new("target/spindrift-cache"))?;
    Ok(runtime.block_on(Local::start(&program, LocalOptions::new(state)))?)
}
