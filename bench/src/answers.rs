//! What installed copies ask, each next to a component that only answers hello. On Spin, `SPINDRIFT_TEST_BUILD=preview3`
//! measures the fast build.

use std::time::Duration;

use clap::Args;
use spindrift_tests::{Account, Hello, Release, World, until};

use crate::host::Host;
use crate::load::Target;
use crate::turns::Turns;

/// Devices that ask in turn.
const DEVICES: u32 = 5_000;
/// How long it may take until all devices are counted.
const COUNTED_WITHIN: Duration = Duration::from_secs(10);
const SCOPE: &str = "app_name=notes&owner=acme&channel=stable&platform=linux&arch=amd64";

/// What to measure on, and for how long.
#[derive(Debug, Args)]
pub(crate) struct Answers {
    /// The host. `spin` is the program in `SPIN_BIN`, or else in the PATH.
    #[arg(long, value_enum, default_value_t = Host::Embedded)]
    host: Host,
    #[command(flatten)]
    turns: Turns,
}

impl Answers {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        self.turns.announce();
        let driver = self.host.driver();
        let (hello, world) = (Hello::start(driver), World::new(driver));
        let acme = world.admin("acme").with_notes();
        acme.publish(Release::new("1.0.0"));
        let targets = targets(&hello.url(), &world, &acme)?;
        self.turns.relate(&targets)?;
        count(&world, targets.iter().map(Target::counted).sum())
    }
}

fn targets(hello: &str, world: &World, acme: &Account) -> anyhow::Result<[Target; 8]> {
    let url = world.url();
    let check = format!("/checkVersion?{SCOPE}&version=0.9");
    let tag = acme.get(&check).send().expect(200).header("etag").to_owned();
    let at = |path: String| move |_| path.clone();
    let device = |n: u32| format!("device-{}", n % DEVICES);
    Ok([
        Target::new("lean hello", hello, at("/hello".to_owned()))?,
        Target::new("plain hello", hello, at("/plain-hello".to_owned()))?,
        Target::new("check", &url, at(check.clone()))?,
        Target::new("check, answered 304", &url, at(check.clone()))?
            .with_header("If-None-Match", move |_| tag.clone())
            .answering(304),
        Target::new("check with a device", &url, at(check))?.with_header("X-Device-ID", device).counting(),
        Target::new("beacon", &url, at(format!("/telemetry/beacon?{SCOPE}&version=0.9")))?
            .with_header("X-Device-ID", device)
            .answering(204)
            .counting(),
        Target::new("edge", &url, at("/responses/acme/notes/stable/linux/amd64/0.9.json".to_owned()))?,
        Target::new("latest", &url, at(format!("/apps/latest?{SCOPE}&package=deb")))?.answering(302),
    ])
}

/// Checks that every request with a device is counted in the end.
fn count(world: &World, sent: u64) -> anyhow::Result<()> {
    let database = world.database();
    let mut counted = database.prepare("SELECT coalesce(sum(requests), 0) FROM telemetry")?;
    until("all devices to be counted", COUNTED_WITHIN, || {
        let requests: i64 = counted.query_row([], |row| row.get(0)).ok()?;
        (u64::try_from(requests) == Ok(sent)).then_some(())
    });
    println!("{sent} requests with a device, all counted");
    Ok(())
}
