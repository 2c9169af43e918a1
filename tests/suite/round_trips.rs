//! The cost of calls with a database on another machine, where each statement is a round trip.

use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Driver, Gate, Libsql, Release, World, on_hosts, until};

use crate::concurrency::in_parallel;
use crate::listing::{begin, begin_service};
use crate::reports::{create_notes, failure, send};
use crate::telemetry::BEACON;
use crate::trust::service::{target, upload};

on_hosts! {
    every: [],
    in_process: [calls_have_a_budget_of_statements, signing_has_a_budget_of_statements],
}

const METRICS_TOKEN: &str = "a-token-of-the-tests-for-metrics";
/// The way to the database and back.
const ROUND_TRIP: Duration = Duration::from_millis(20);
/// Time limit for the two calls of a publish then, without the upload between them.
const PUBLISH_LIMIT: Duration = Duration::from_secs(1);
/// Further time for them on a machine that does something else.
const BUSY: Duration = Duration::from_secs(2);

/// Devices that ask at once, and are counted together.
const DEVICES: usize = 20;
/// Time limit for counting them.
const COUNTED_WITHIN: Duration = Duration::from_secs(30);

/// The most statements of each call, with `BEGIN` and `COMMIT`. The service has run for a while: it has migrated, made its
/// keys, and keeps records.
fn calls_have_a_budget_of_statements(host: Driver) {
    let world = World::builder(host)
        .with_variable("device_hash_key", "a key of the tests")
        .with_variable("telemetry_gathered", "true")
        .with_variable("metrics_token", METRICS_TOKEN)
        .start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    acme.publish(Release::new("1.0.0"));
    acme.check("0.1");
    let costs = |most: u64, call: &str, work: &dyn Fn()| costs(&world, most, call, work);

    costs(7, "POST /upload/init", &|| drop(acme.begin(&Release::new("1.2.0"))));
    let upload = acme.stage(&Release::new("1.1.0").published());
    // Four of them ask again whether the caller may upload, for the user and for the login: when the keys are claimed,
    // and when the release is recorded. Three are for the audit log.
    costs(44, "POST /upload/complete", &|| drop(acme.complete(&upload).expect(200)));
    costs(0, "GET /checkVersion", &|| drop(acme.check("0.1")));
    world.age_records(61);
    costs(3, "GET /checkVersion with the first old record", &|| drop(acme.check("0.1")));
    world.age_records(61);
    costs(2, "GET /checkVersion with the first old record of a minute", &|| drop(acme.check("0.1")));
    // The first one names the log, too.
    costs(10, "GET /checkVersion of a device, until it is counted", &|| {
        drop(acme.check_as("a", "0.1"));
        counted(&world, 1);
    });
    costs(8, "GET /telemetry/beacon, until it is counted", &|| {
        drop(world.get(BEACON).header("x-device-id", "b").send().expect(204));
        counted(&world, 2);
    });
    let latest = "/apps/latest?app_name=notes&owner=acme";
    drop(world.get(latest).send());
    costs(0, "GET /apps/latest", &|| drop(world.get(latest).send()));
    // Counts the devices that wait.
    drop(acme.get("/telemetry/overview").ok());
    costs(16, "GET /telemetry/overview", &|| drop(acme.get("/telemetry/overview").ok()));
    // As docs/metrics.md says.
    let metrics = world.client().with_token(METRICS_TOKEN);
    costs(13, "GET /metrics", &|| drop(metrics.get("/metrics").send().expect(200)));
    costs(6, "POST /reports/ingest", &|| drop(send(world.client(), &key, "device", &failure()).expect(202)));
}

fn costs(world: &World, most: u64, call: &str, work: impl FnOnce()) {
    let statements = || world.platform().statements();
    let before = statements();
    work();
    let cost = statements() - before;
    println!("{call}: {cost} statements");
    assert!(cost <= most, "{call}: {cost} statements instead of {most}");
}

/// Calls that sign metadata have a budget too: each reads the repository once.
fn signing_has_a_budget_of_statements(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let _service = begin_service(&acme);
    let _ = upload(&acme, "1.0.0");
    let staged = acme.stage(&Release::new("1.1.0").with_digests().published());
    costs(&world, 96, "POST /upload/complete, where the service signs", || {
        drop(acme.complete(&staged).expect(200));
    });

    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let publisher = begin(&acme);
    let _ = upload(&acme, "1.0.0");
    let list = publisher.list(&[target("1.0.0")]);
    let body = json!({ "metadata": { "targets": list }, "base": publisher.version("targets") });
    costs(&world, 53, "POST /tuf/v1/metadata, where the publisher signs", || {
        drop(publisher.send("metadata", body).expect(200));
    });
}

/// Waits until so many devices are counted.
fn counted(world: &World, devices: usize) {
    let are_counted = format!("SELECT count(*) = {devices} FROM telemetry");
    until("all are counted", COUNTED_WITHIN, || (world.number(&are_counted) == Ok(1)).then_some(()));
}

/// A publish takes at most a second, besides the upload between its two calls, if a round trip takes 20 ms.
#[test]
fn calls_have_a_budget_of_round_trips_to_libsql() {
    spindrift_tests::run(Driver::Spin, |host| {
        let Some(server) = Libsql::start() else { return };
        let gate = Gate::before(server.url());
        let world = World::builder(host)
            .with_libsql_behind(server, gate.url())
            .with_variable("device_hash_key", "a key of the tests")
            .with_variable("telemetry_gathered", "true")
            .start();
        let acme = world.admin("acme");
        let key = create_notes(&acme);
        acme.publish(Release::new("1.0.0"));
        gate.watch("/");
        gate.delay(ROUND_TRIP);
        let costs = |most: usize, call: &str, work: &dyn Fn()| {
            drop(gate.take_calls());
            let began = Instant::now();
            work();
            // Connections are closed by calls of their own, which nobody waits for.
            let statements = gate.take_calls().into_iter().filter(|(_, path)| path == "/v3/cursor");
            let (took, cost) = (began.elapsed(), statements.count());
            println!("{call}: {cost} round trips, {took:?}");
            assert!(cost <= most, "{call}: {cost} round trips instead of {most}");
            took
        };

        let release = Release::new("1.1.0").published();
        let begun = costs(5, "POST /upload/init", &|| drop(acme.begin(&release)));
        let upload = acme.stage(&release);
        let completed = costs(37, "POST /upload/complete", &|| drop(acme.complete(&upload).expect(200)));
        println!("a publish takes {:?}", begun + completed);
        assert!(begun + completed <= PUBLISH_LIMIT + BUSY, "{:?}", begun + completed);
        costs(0, "GET /checkVersion", &|| drop(acme.check("0.1")));
        world.age_records(61);
        costs(3, "GET /checkVersion with the first old record", &|| drop(acme.check("0.1")));
        world.age_records(61);
        costs(2, "GET /checkVersion with the first old record of a minute", &|| drop(acme.check("0.1")));
        // Some may come too late for the first transaction.
        costs(2 * 10, "GET /telemetry/beacon of many devices, until they are counted", &|| {
            in_parallel(DEVICES, |n| {
                let device = format!("device-{n}");
                drop(world.get(BEACON).header("x-device-id", &device).send().expect(204));
            });
            counted(&world, DEVICES);
        });
        costs(7, "POST /reports/ingest", &|| {
            drop(send(world.client(), &key, "device", &failure()).expect(202));
        });
    });
}
