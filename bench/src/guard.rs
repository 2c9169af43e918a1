//! The cost of the guard: for each report, and for a run over many devices.

use std::time::Instant;

use anyhow::ensure;
use clap::Args;
use serde_json::{Value, json};
use spindrift_tests::{Account, Release, World};

use crate::figure::{figure, median, part};
use crate::host::Host;

/// Number of reports, a little less than a group accepts in a minute.
const REPORTS_OF_A_GROUP: u32 = 25;
/// Days with devices, the present one included.
const DAYS: u32 = 8;

/// The options of `guard`.
#[derive(Debug, Args)]
pub(crate) struct Guard {
    /// The host. `spin` is the program in `SPIN_BIN`, or else in the PATH.
    #[arg(long, value_enum, default_value_t = Host::Native)]
    host: Host,
    /// Reports of each kind.
    #[arg(long, default_value_t = 2000)]
    reports: u32,
    /// Rows of telemetry.
    #[arg(long, default_value_t = 1_000_000)]
    rows: u32,
}

impl Guard {
    /// Prints the figures.
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let world = World::builder(self.host.driver())
            .with_variable("device_hash_key", "a key of the benchmark")
            .with_variable("reports_rate_limit_per_key_per_minute", "1000000")
            .start();
        let account = world.admin("bench");
        account.create_app_with(json!({ "app": "notes", "reports": true }));
        account.create_channel("stable");
        account.create_platform("linux");
        account.create_arch("amd64");
        account.publish(Release::new("1.0.0"));
        account.publish(Release::new("2.0.0"));
        self.reports(&world, &account);
        self.runs(&world, &account)
    }

    /// Reports about a version that is watched, and about one that is not, in turn.
    fn reports(&self, world: &World, account: &Account) {
        part("Reports");
        let key = account.get("/report-keys/list").ok()["report_keys"][0]["key_value"].clone();
        let client = world.client().with_token(key.as_str().unwrap_or_default()).keeping_connections();
        let mut times = [Vec::new(), Vec::new()];
        for n in 0..self.reports {
            let mut turn = [("2.0.0", 0), ("3.0.0", 1)];
            if n % 2 == 1 {
                // Neither kind should always come second.
                turn.reverse();
            }
            for (version, place) in turn {
                let start = Instant::now();
                let call = client.post_json("/reports/ingest", report(version, n / REPORTS_OF_A_GROUP));
                let _ = call.header("x-device-id", &format!("device-{n}")).send().expect(202);
                times[place].push(millis(start));
            }
        }
        let [watched, other] = times.map(|times| median(times).unwrap_or_default());
        figure("a report about a version that is not watched", format!("{other:.2} ms"), "");
        let watched = format!("{watched:.2} ms, {:.2} times", watched / other);
        figure("a report about a watched version", watched, "1.3 times");
    }

    /// The first run over many devices, and later ones.
    fn runs(&self, world: &World, account: &Account) -> anyhow::Result<()> {
        part(&format!("Guard runs over {} rows of telemetry", self.rows));
        fill(world, &account.app_id("notes"), self.rows)?;
        world.database().execute("UPDATE releases SET health = NULL", [])?;
        figure("the first run", format!("{:.0} ms", guard_run(account)?), "3 s");
        let later = (0..5).map(|_| guard_run(account)).collect::<anyhow::Result<_>>()?;
        figure("a later run", format!("{:.0} ms", median(later).unwrap_or_default()), "1 s");
        Ok(())
    }
}

fn report(version: &str, group: u32) -> Value {
    json!({
        "application": { "name": "notes", "version": version, "channel": "stable" },
        "system": { "platform": "linux", "arch": "amd64" },
        "event": { "type": "crash", "reason": format!("reason-{group}") },
    })
}

/// Counts the same devices on each day: with the old version before today, and with both today.
fn fill(world: &World, app: &str, rows: u32) -> anyhow::Result<()> {
    let devices = rows / DAYS;
    let today = world.number("SELECT max(created_at) / 86400000 FROM apps").map_err(anyhow::Error::msg)?;
    Ok(world.database().execute_batch(&format!(
        "INSERT INTO telemetry (day, app_id, device, version, channel, platform, arch, is_latest, requests) \
         WITH RECURSIVE device (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM device WHERE n < {devices}), day \
         (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM day WHERE n < {DAYS} - 1) SELECT {today} - day.n, \
         '{app}', device.n, iif(day.n = 0 AND device.n % 2, '2.0.0', '1.0.0'), 'stable', 'linux', 'amd64', \
         day.n = 0 AND device.n % 2, 1 FROM day, device"
    ))?)
}

/// Milliseconds of a run.
fn guard_run(account: &Account) -> anyhow::Result<f64> {
    let start = Instant::now();
    let body = account.post("/guard/run").send().expect(200).json();
    ensure!(body["looked_at"] == 2, "{body}");
    Ok(millis(start))
}

fn millis(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
