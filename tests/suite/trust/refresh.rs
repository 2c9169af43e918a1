//! Reads of `timestamp.json` keep a repository alive: what is past half its lifetime is signed after the answer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_tests::trust::aged::age;
use spindrift_tests::trust::client::{Installation, clients_and_library};
use spindrift_tests::trust::publisher::Publisher;
use spindrift_tests::{Answer, Client, Driver, PUBLIC_BUCKET, World, on_hosts, until};

use super::gets;
use super::service::{acme, started, upload};

on_hosts! {
    every: [
        a_read_renews_the_timestamp,
        a_head_and_an_unchanged_answer_renew_it_too,
        what_is_not_due_is_not_signed,
        a_burst_of_reads_signs_once,
        two_hosts_sign_once,
        a_slow_storage_delays_no_read,
        a_storage_that_refuses_delays_no_read,
        a_read_finishes_what_was_killed,
        who_may_not_read_renews_nothing,
        everything_is_renewed_in_its_time,
        after_the_end_of_root_nothing_is_signed,
    ],
    in_process: [a_failed_refresh_is_tried_again_after_a_minute],
}

/// How long what happens after an answer may take.
const AFTER: Duration = Duration::from_secs(20);
const TIMESTAMP: &str = "/tuf/repository/acme/notes/metadata/timestamp.json";
const IN_BUCKET: &str = "tuf_metadata/acme/notes/timestamp.json";

/// Makes timestamps last four times as long from now on, so that the current one is past half of that.
fn make_due(world: &World) {
    let sql = "UPDATE repositories SET timestamp_days = 30, due_at = 1";
    assert_eq!(world.database().execute(sql, []).unwrap(), 1);
}

fn signed(answer: Answer) -> Value {
    answer.expect(200).json()["signed"].clone()
}

fn version(world: &World) -> u64 {
    signed(world.get(TIMESTAMP).send())["version"].as_u64().unwrap()
}

/// When a refresh failed last, in milliseconds.
fn failed_at(world: &World) -> Option<i64> {
    let sql = "SELECT refresh_failed_at FROM repositories";
    world.database().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// How often the service has signed again by itself.
fn refreshes(world: &World) -> u64 {
    events(world, "online_update")
}

fn events(world: &World, kind: &str) -> u64 {
    let sql = "SELECT count(*) FROM repository_events WHERE kind = ?1";
    world.database().query_row(sql, [kind], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
}

/// Waits for the timestamp after this one, in the service and in the bucket.
fn renewed(world: &World, before: u64) -> Value {
    until("a new timestamp", AFTER, || (refreshes(world) > 0).then_some(()));
    until("a new timestamp in the bucket", AFTER, || {
        let bytes = world.store().object(PUBLIC_BUCKET, IN_BUCKET)?;
        let there: Value = serde_json::from_slice(&bytes).unwrap();
        (there["signed"]["version"].as_u64() > Some(before)).then(|| {
            assert_eq!(bytes, world.get(TIMESTAMP).send().expect(200).body, "both places say the same");
            there["signed"].clone()
        })
    })
}

fn a_read_renews_the_timestamp(host: Driver) {
    let world = World::new(host);
    let (_acme, publisher, target) = started(&world);
    let root = publisher.pinned_root();
    let apps: Vec<_> =
        clients_and_library().into_iter().map(|client| Installation::new(client, &root)).collect();
    for app in &apps {
        gets(app, &publisher.service(&world), &target);
    }
    let before = signed(world.get(TIMESTAMP).send());

    make_due(&world);
    assert_eq!(signed(world.get(TIMESTAMP).send()), before, "the current one answers");
    let after = renewed(&world, before["version"].as_u64().unwrap());

    assert!(after["expires"].as_str() > before["expires"].as_str());
    assert_eq!(after["meta"], before["meta"], "the snapshot has half its life before it");
    for (app, place) in apps
        .iter()
        .flat_map(|app| [publisher.service(&world), publisher.bucket(&world)].map(move |place| (app, place)))
    {
        gets(app, &place, &target);
    }
    assert_eq!(refreshes(&world), 1);
}

fn a_head_and_an_unchanged_answer_renew_it_too(host: Driver) {
    for is_head in [true, false] {
        let world = World::new(host);
        let _started = started(&world);
        let before = world.get(TIMESTAMP).send().expect(200);
        make_due(&world);
        let answer = if is_head {
            world.client().head(TIMESTAMP).send().expect(200)
        } else {
            world.get(TIMESTAMP).header("if-none-match", before.header("etag")).send().expect(304)
        };
        assert_eq!(answer.header("etag"), before.header("etag"));
        renewed(&world, before.json()["signed"]["version"].as_u64().unwrap());
    }
}

fn what_is_not_due_is_not_signed(host: Driver) {
    let world = World::new(host);
    let _started = started(&world);
    let before = version(&world);
    make_due(&world);
    // Other files are good for ever, and say nothing about what is due.
    let metadata = TIMESTAMP.trim_end_matches("timestamp.json");
    for other in ["1.root.json", "2.root.json", "1.snapshot.json"] {
        let _any = world.get(&format!("{metadata}{other}")).send();
    }
    world.database().execute("UPDATE repositories SET timestamp_days = 7, due_at = 9e15", []).unwrap();
    assert_eq!((version(&world), version(&world)), (before, before));
    // Due by mistake: it is looked at, and noted when it will be.
    world.database().execute("UPDATE repositories SET due_at = 1", []).unwrap();
    let _asked = version(&world);
    until("a time for the next refresh", AFTER, || {
        let due: i64 =
            world.database().query_row("SELECT due_at FROM repositories", [], |row| row.get(0)).unwrap();
        (due > 1).then_some(())
    });
    assert_eq!(version(&world), before);
}

/// Sends many reads at the same time.
fn burst(clients: &[Client]) {
    std::thread::scope(|scope| {
        for client in clients.iter().cycle().take(20) {
            scope.spawn(move || client.get(TIMESTAMP).send().expect(200));
        }
    });
}

fn a_burst_of_reads_signs_once(host: Driver) {
    let world = World::new(host);
    let _started = started(&world);
    let before = version(&world);
    make_due(&world);
    burst(&[world.client().clone()]);
    renewed(&world, before);
    burst(&[world.client().clone()]);
    assert_eq!(refreshes(&world), 1);
}

fn two_hosts_sign_once(host: Driver) {
    let world = World::new(host);
    let (_acme, publisher, target) = started(&world);
    let before = version(&world);
    let other = world.beside();
    make_due(&world);
    let clients = [world.client().clone(), Client::new(&other.url())];
    burst(&clients);
    let after = renewed(&world, before);
    burst(&clients);
    assert_eq!(refreshes(&world), 1);
    for client in &clients {
        assert_eq!(signed(client.get(TIMESTAMP).send()), after);
    }
    for client in clients_and_library() {
        gets(&Installation::new(client, &publisher.pinned_root()), &publisher.bucket(&world), &target);
    }
}

fn a_slow_storage_delays_no_read(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let _started = started(&world);
    let in_bucket = || world.store().object(PUBLIC_BUCKET, IN_BUCKET);
    let (before, old) = (version(&world), in_bucket());
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    world.gate().hold();
    make_due(&world);
    assert_eq!(version(&world), before, "signing comes after the answer");
    // Waits until the write to the bucket is held. The database is ahead of it.
    world.gate().hold_no_more();
    for _ in 0..3 {
        assert!(version(&world) > before, "the new one answers while the bucket has the old one");
    }
    assert_eq!(in_bucket(), old);
    world.gate().release();
    renewed(&world, before);
    assert_eq!(refreshes(&world), 1);
}

fn a_storage_that_refuses_delays_no_read(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let _started = started(&world);
    let before = version(&world);
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    world.gate().refuse(true);
    make_due(&world);
    assert_eq!(version(&world), before);
    until("a failure", AFTER, || failed_at(&world));
    world.gate().take_calls();
    for _ in 0..3 {
        assert_eq!(version(&world), before);
    }
    assert_eq!(world.gate().take_calls(), [], "for a minute nothing is tried");
    world
        .database()
        .execute("UPDATE repositories SET refresh_failed_at = refresh_failed_at - 60000", [])
        .unwrap();
    world.gate().refuse(false);
    assert_eq!(version(&world), before);
    renewed(&world, before);
    assert_eq!(failed_at(&world), None);
}

fn a_read_finishes_what_was_killed(host: Driver) {
    let world = World::new(host);
    let (acme, _publisher, _target) = started(&world);
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    // As if the process had died after step 3: the bucket shows an older set, and artifacts are marked by it.
    world.store().write(PUBLIC_BUCKET, IN_BUCKET, b"{}");
    let sql = "UPDATE repositories SET written_revision = revision - 1, applied_revision = revision - 1";
    world.database().execute(sql, []).unwrap();
    world.database().execute("UPDATE artifacts SET listing = 'unlisted'", []).unwrap();

    let timestamp = world.get(TIMESTAMP).send().expect(200).body;
    until("the timestamp in the bucket", AFTER, || {
        (world.store().object(PUBLIC_BUCKET, IN_BUCKET)? == timestamp).then_some(())
    });
    until("the marks", AFTER, || {
        let sql =
            "SELECT 1 FROM repositories WHERE written_revision = revision AND applied_revision = revision";
        world.database().query_row(sql, [], |_| Ok(())).ok()
    });
    assert_eq!(acme.check("0.1")["version"], "1.0.0");
    assert_eq!(refreshes(&world), 0, "nothing had to be signed");
}

fn who_may_not_read_renews_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    acme.create_app_with(json!({ "app": "notes", "tuf": true, "private": true }));
    let publisher = Publisher::new(&acme, "notes");
    let _ = publisher.start(Some(&publisher.list(&[]))).expect(202);
    make_due(&world);
    for _ in 0..3 {
        assert_eq!(world.get(TIMESTAMP).send().status, 401);
    }
    let before = signed(acme.get(TIMESTAMP).send());
    until("a new timestamp", AFTER, || (refreshes(&world) == 1).then_some(()));
    until("the new timestamp", AFTER, || (signed(acme.get(TIMESTAMP).send()) != before).then_some(()));
}

fn a_failed_refresh_is_tried_again_after_a_minute(host: Driver) {
    let world = World::builder(host).with_gate().start();
    let _started = started(&world);
    let before = version(&world);
    world.gate().watch(&format!("/{PUBLIC_BUCKET}/tuf_metadata/"));
    world.gate().refuse(true);
    make_due(&world);
    let asked = || {
        for _ in 0..3 {
            assert_eq!(version(&world), before);
        }
    };
    let now = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap();
    world.platform().set_time(Timestamp::from_millis(now));
    asked();
    let first = until("a failure", AFTER, || failed_at(&world));
    for seconds in [0, 30, 29] {
        world.advance(seconds);
        asked();
        assert_eq!(failed_at(&world), Some(first));
    }
    world.advance(1);
    asked();
    until("another failure", AFTER, || (failed_at(&world) > Some(first)).then_some(()));
    asked();
    let attempts = world.gate().take_calls();
    assert_eq!(attempts.len(), 2, "each begins with one read: {attempts:?}");
    world.advance(60);
    world.gate().refuse(false);
    assert_eq!(version(&world), before);
    renewed(&world, before);
}

fn everything_is_renewed_in_its_time(host: Driver) {
    let world = World::new(host);
    let acme = acme(&world);
    let publisher = Publisher::new(&acme, "notes");
    let _target = upload(&acme, "1.0.0");
    // The service signs targets.
    let mut named = publisher.named();
    named.targets = vec![publisher.service_key("targets_key")];
    let root = publisher.root_file(1, &named, &publisher.root.keys[..1]);
    let _ = publisher.start_with(json!({ "metadata": { "root": root } })).expect(202);
    let versions = |world: &World| {
        let name = |file: &str| TIMESTAMP.replace("timestamp.json", file);
        let timestamp = signed(world.get(TIMESTAMP).send());
        let snapshot = timestamp["meta"]["snapshot.json"]["version"].as_u64().unwrap();
        let snapshot = signed(world.get(&name(&format!("{snapshot}.snapshot.json"))).send());
        let of = |value: &Value| value.as_u64().unwrap();
        [
            of(&timestamp["version"]),
            of(&snapshot["version"]),
            of(&snapshot["meta"]["targets.json"]["version"]),
        ]
    };
    let mut before = versions(&world);
    let mut days = 0;
    for (day, renewed) in [
        (3, [false; 3]),
        (4, [true, false, false]),
        (8, [true, false, false]),
        (16, [true, true, false]),
        (183, [true; 3]),
    ] {
        age(&world, day - days);
        days = day;
        let expected = refreshes(&world) + u64::from(renewed[0]);
        let _asked = version(&world);
        until("a refresh", AFTER, || (refreshes(&world) == expected).then_some(()));
        let after = until("a free lease", AFTER, || {
            let leases: i64 = world
                .database()
                .query_row("SELECT count(*) FROM leases WHERE name LIKE 'tuf:%'", [], |row| row.get(0))
                .unwrap();
            (leases == 0).then(|| versions(&world))
        });
        let is_new: Vec<_> = before.iter().zip(after).map(|(before, after)| *before < after).collect();
        assert_eq!(is_new, renewed, "day {day}");
        before = after;
    }
}

fn after_the_end_of_root_nothing_is_signed(host: Driver) {
    let world = World::new(host);
    let _started = started(&world);
    let before = version(&world);
    age(&world, 731);
    let due = || {
        let sql = "SELECT due_at FROM repositories";
        world.database().query_row(sql, [], |row| row.get::<_, Option<i64>>(0)).unwrap()
    };
    assert_eq!(version(&world), before);
    until("nothing to be due", AFTER, || due().is_none().then_some(()));
    assert_eq!((version(&world), refreshes(&world)), (before, 0));
}
