//! Requests of installed copies, each compared with a server that only answers hello.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::{Args, value_parser};

use crate::data::DataSet;
use crate::host::{BuildName, Host};
use crate::questions;
use crate::setup::{Setup, Stores};
use crate::side::Side;
use crate::soak::soak;
use crate::target::{Server, Target};
use crate::turns::TurnOptions;

/// Records are refreshed after this long: half of the age at which the service renews them.
const FRESH: Duration = Duration::from_secs(30);

/// The machine state to measure on, and the durations.
#[derive(Debug, Args)]
pub(crate) struct AnswersCommand {
    /// The host. `spin` is the program in `SPIN_BIN`, or else in the PATH.
    #[arg(long, value_enum, default_value_t = Host::Native)]
    host: Host,
    /// The builds of the components on Spin, which are measured side by side; by default all.
    #[arg(long, value_enum, value_delimiter = ',')]
    builds: Vec<BuildName>,
    /// A row to measure, by its name without the build, like `check`. Can be repeated; by default all are
    /// measured, and the lean hello always is.
    #[arg(long = "row", value_name = "NAME")]
    rows: Vec<String>,
    /// Numbers of applications, measured one after the other.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 10_000], value_parser = value_parser!(u32).range(1..))]
    apps: Vec<u32>,
    /// Releases of each application.
    #[arg(long, default_value_t = 20, value_parser = value_parser!(u32).range(1..))]
    releases: u32,
    /// Let stored records become a minute old, so that the service renews them. Under load on many
    /// applications all the time, a few requests in a hundred do that; here it is most of them, because the
    /// rows take turns. Without this, records stay fresh, except in the memory of Spin, which no other
    /// process can change.
    #[arg(long)]
    renewals: bool,
    /// Do not compare, but put load on each build with checks and beacons of devices for so long, over 16
    /// connections. Afterwards none of the devices may be missing.
    #[arg(long, value_name = "SECONDS")]
    soak: Option<u64>,
    /// The stores of the service.
    #[arg(long, value_enum, default_value_t = Stores::Local)]
    stores: Stores,
    #[command(flatten)]
    turns: TurnOptions,
}

impl AnswersCommand {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let builds = match self.host {
            Host::Native => &BuildName::ALL[..1],
            Host::Spin if self.builds.is_empty() => &BuildName::ALL,
            Host::Spin => self.builds.as_slice(),
        };
        let setup = Setup::new(self.host, self.stores)?;
        for apps in &self.apps {
            println!("\n{apps} applications, {} releases of each", self.releases);
            let data = DataSet::new(&setup, *apps, self.releases)?;
            match self.soak {
                Some(seconds) => {
                    let duration = Duration::from_secs(seconds);
                    builds.iter().try_for_each(|build| soak(&setup, *build, &data, duration))?;
                }
                None => self.measure(&setup, builds, &data)?,
            }
        }
        Ok(())
    }

    /// Measures builds side by side.
    fn measure(&self, setup: &Setup, builds: &[BuildName], data: &DataSet) -> anyhow::Result<()> {
        let (_running, hello) = setup.hello()?;
        let sides = builds.iter().map(|build| Side::start(setup, *build, data));
        self.compare(&hello, &sides.collect::<anyhow::Result<Vec<_>>>()?, data)
    }

    /// The first row, with which the others are compared, and the requested ones.
    fn chosen(&self, mut targets: Vec<Target>) -> anyhow::Result<Vec<Target>> {
        for row in &self.rows {
            let names: BTreeSet<_> = targets.iter().map(Target::row).collect();
            ensure!(names.contains(row.as_str()), "there is no row `{row}`, only {names:?}");
        }
        let is_chosen =
            |target: &Target| self.rows.is_empty() || self.rows.iter().any(|row| row == target.row());
        let others = targets.split_off(1);
        targets.extend(others.into_iter().filter(is_chosen));
        Ok(targets)
    }

    fn compare(&self, hello: &Server, sides: &[Side], data: &DataSet) -> anyhow::Result<()> {
        let is_hello = |answer: &str| answer.to_lowercase().contains("hello");
        let mut targets =
            vec![Target::new("lean hello", hello, |_| "/hello".to_owned()).check_answer(is_hello)?];
        if self.host == Host::Spin {
            for (name, path) in
                [("plain hello", "/plain-hello"), ("lean hello after one read", "/reading-hello")]
            {
                targets.push(Target::new(name, hello, move |_| path.to_owned()).check_answer(is_hello)?);
            }
        }
        let mut questions = Vec::new();
        for side in sides {
            let suffix = if sides.len() > 1 { format!(", {}", side.build.name()) } else { String::new() };
            questions.push(questions::targets(&side.server, data, &suffix)?.into_iter());
        }
        while let Some(row) = questions.iter_mut().map(Iterator::next).collect::<Option<Vec<_>>>() {
            targets.extend(row);
        }
        let targets = self.chosen(targets)?;
        for server in sides.iter().map(|side| &side.server).chain([hello]) {
            // Systems that cannot reset the peak do not report it either.
            let _reset = server.processes().reset_peak();
        }
        self.turns.announce();
        let mut freshened = None;
        self.turns.compare(&targets, || {
            if !self.renewals && freshened.is_none_or(|last: Instant| last.elapsed() > FRESH) {
                sides.iter().for_each(Side::freshen_records);
                freshened = Some(Instant::now());
            }
        })?;
        println!();
        println!("hello: the host uses {}", hello.processes().memory());
        sides.iter().for_each(Side::print_memory);
        sides.iter().try_for_each(Side::count)
    }
}
