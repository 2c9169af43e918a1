//! Refreshing repositories.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Account, Driver, PUBLIC_BUCKET, World};

use super::calls::Calls;
use crate::figure::{figure, part};

/// Connections on which repositories are begun.
const BEGINNERS: usize = 4;
/// A timestamp of seven days is past half of this lifetime.
const TIMESTAMP_IS_DUE: &str = "UPDATE repositories SET timestamp_days = 30, due_at = 1";
/// A snapshot of thirty days is past half of this lifetime.
const SNAPSHOT_IS_DUE: &str = "UPDATE repositories SET snapshot_days = 90, due_at = 1";

/// Prints the calls for one repository, and the time for many.
pub(crate) fn report(host: Driver, repositories: usize) -> anyhow::Result<()> {
    part("Refreshing");
    calls(host)?;
    times(host, repositories)
}

fn calls(host: Driver) -> anyhow::Result<()> {
    let world = World::builder(host).in_memory().with_gate().start();
    let account = world.admin("bench");
    begin(&account, "notes");
    while run(&account).1 > 0 {}
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    for (what, sql, to_reach) in [
        ("refresh of a repository: timestamp", TIMESTAMP_IS_DUE, "1 GET, 1 PUT"),
        ("refresh of a repository: snapshot and timestamp", SNAPSHOT_IS_DUE, "1 GET, 2 PUT"),
    ] {
        world.database().execute(sql, [])?;
        let (_, signed) = run(&account);
        ensure!(signed == 1, "{signed} repositories were signed");
        figure(what, Calls::of(&world.gate().take_passed()), to_reach);
    }
    Ok(())
}

fn times(host: Driver, repositories: usize) -> anyhow::Result<()> {
    let world = World::builder(host).in_memory().start();
    let account = world.admin("bench");
    std::thread::scope(|scope| {
        for first in 0..BEGINNERS {
            let account = &account;
            scope.spawn(move || {
                for number in (first..repositories).step_by(BEGINNERS) {
                    begin(account, &format!("app-{number}"));
                }
            });
        }
    });
    let left = || -> anyhow::Result<i64> {
        let sql = "SELECT count(*) FROM repositories WHERE checked_at = 0";
        Ok(world.database().query_row(sql, [], |row| row.get(0))?)
    };
    let (mut runs, mut time) = (0, Duration::ZERO);
    while left()? > 0 {
        time += run(&account).0;
        runs += 1;
    }
    let comparing = format!("{:.1} s in {runs} runs", time.as_secs_f64());
    figure(&format!("{repositories} repositories compared with the bucket"), comparing, "once a day");

    world.database().execute(TIMESTAMP_IS_DUE, [])?;
    let (mut runs, mut time, mut signed) = (0, Duration::ZERO, 0);
    while signed < repositories as u64 {
        let (took, now_signed) = run(&account);
        ensure!(now_signed > 0, "{signed} of {repositories} repositories were signed");
        time += took;
        signed += now_signed;
        runs += 1;
    }
    let refreshing = format!("{:.1} s in {runs} runs", time.as_secs_f64());
    figure(&format!("{repositories} repositories refreshed"), refreshing, "60 s for 1,000");
    Ok(())
}

/// Begins the repository of a new application, with an empty list.
fn begin(account: &Account, app: &str) {
    account.create_app_with(json!({ "app": app, "tuf": true }));
    let publisher = Publisher::new(account, app);
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
}

/// Runs maintenance. Returns how long it took, and how many repositories were signed.
fn run(account: &Account) -> (Duration, u64) {
    let start = Instant::now();
    let body = account.post("/maintenance/run").send().expect(200).json();
    (start.elapsed(), body["metadata_signed"].as_u64().unwrap_or(0))
}
