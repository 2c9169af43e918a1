//! Stores that do not answer, and their content.

use std::io::{Cursor, Read};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use spindrift_tests::{Answer, Driver, Libsql, Multipart, Redis, Release, World, on_hosts};

use crate::reports::{create_notes, failure, send};

on_hosts! {
    every: [a_locked_database_costs_writers_two_seconds],
    hosted: [a_locked_key_value_store_costs_one_wait],
}

/// Time limit for an answer that waits for nothing, on a busy machine.
const AT_ONCE: Duration = Duration::from_millis(1500);
/// How long a locked database is waited for, and the same again for a busy machine.
const DATABASE_LIMIT: Duration = Duration::from_secs(4);

/// How long a locked key-value store is waited for: 2 seconds, or 5 that Spin does not let be changed; and some more for a
/// busy machine. A second wait would not fit in.
const fn key_value_limit(host: Driver) -> Duration {
    Duration::from_millis(match host {
        Driver::Spin => 9_000,
        _ => 3_900,
    })
}

fn timed(what: &str, limit: Duration, ask: impl FnOnce() -> Answer) -> Answer {
    let began = Instant::now();
    let answer = ask();
    let took = began.elapsed();
    println!("{what}: {} after {took:?}", answer.status);
    assert!(took < limit, "{what} took {took:?}");
    answer
}

fn a_locked_database_costs_writers_two_seconds(host: Driver) {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    acme.publish(Release::new("1.0.0"));
    let release = acme.release("1.0.0").id.to_string();
    let check = acme.check_path("0.1");
    let _ = world.get(&check).send().expect(200);
    // A server ends the transaction after 5 seconds.
    let Some(lock) = world.database().into_file() else { return };
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();

    timed("a check", AT_ONCE, || world.get(&check).send().expect(200));
    timed("a check of a device", AT_ONCE, || world.get(&check).header("x-device-id", "d").send().expect(200));
    timed("the newest builds", AT_ONCE, || {
        world.get("/apps/latest?app_name=notes&owner=acme").send().expect(302)
    });
    timed("a report", DATABASE_LIMIT, || send(world.client(), &key, "device", &failure()).expect(500));
    timed("a change", DATABASE_LIMIT, || acme.edit(&release, json!({ "critical": true })).expect(503));

    lock.execute_batch("ROLLBACK").unwrap();
    let _ = send(world.client(), &key, "device", &failure()).expect(202);
    let _ = acme.edit(&release, json!({ "critical": true })).expect(200);
    assert_eq!(acme.check("0.1")["critical"], true);
}

fn a_locked_key_value_store_costs_one_wait(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme");
    let key = create_notes(&acme);
    acme.publish(Release::new("1.0.0"));
    let release = acme.release("1.0.0").id.to_string();
    let check = acme.check_path("0.1");
    let limit = key_value_limit(host);
    let Some(lock) = world.key_values() else { return };
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();

    timed("a check", limit, || world.get(&check).send().expect(200));
    timed("the newest builds", limit, || {
        world.get("/apps/latest?app_name=notes&owner=acme").send().expect(302)
    });
    timed("a report", limit, || send(world.client(), &key, "device", &failure()).expect(202));
    timed("a change", limit, || acme.edit(&release, json!({ "critical": true })).expect(200));

    lock.execute_batch("ROLLBACK").unwrap();
    acme.publish(Release::new("1.1.0"));
    assert_eq!(acme.check("0.1")["version"], "1.1.0");
}

/// The key-value store of Spin that several machines can share.
#[test]
fn records_are_kept_in_redis() {
    spindrift_tests::run(Driver::Spin, |host| {
        let Some(redis) = Redis::start() else { return };
        let world = World::builder(host).with_redis(redis).start();
        let acme = world.admin("acme").with_notes();
        let check = acme.check_path("0.1");
        for minute in 1..=3 {
            let version = format!("{minute}.0.0");
            if minute == 2 {
                // Of many checks, one asks whether something has changed.
                world.age_records(61);
                let _ = world.get(&check).send().expect(200);
            } else {
                acme.publish(Release::new(&version));
            }

            world.without_owners(|| {
                for _ in 0..20 {
                    let answer = world.get(&check).send().expect(200).json();
                    assert_eq!(answer["version"], if minute == 3 { "3.0.0" } else { "1.0.0" });
                }
            });
        }
    });
}

/// The server of libSQL forgets a connection that is not used for 10 seconds.
const LONGER_THAN_A_CONNECTION: Duration = Duration::from_secs(11);

/// Bytes that arrive late.
struct Late(Cursor<Vec<u8>>);

impl Read for Late {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.0.position() == 0 {
            thread::sleep(LONGER_THAN_A_CONNECTION);
        }
        self.0.read(buffer)
    }
}

#[test]
fn an_upload_may_take_longer_than_libsql_keeps_a_connection() {
    spindrift_tests::run(Driver::Spin, |host| {
        let Some(server) = Libsql::start() else { return };
        let world = World::builder(host).with_libsql(server).start();
        let acme = world.admin("acme").with_notes();
        let data = Release::new("1.0.0").published().data().to_string();
        let (before, after) = Multipart::new().field("data", data).around_file("notes.deb");
        let file = b"a small package".to_vec();
        let length = (before.len() + file.len() + after.len()) as u64;
        let body = Cursor::new(before).chain(Late(Cursor::new(file))).chain(Cursor::new(after));

        let answer = acme.post_stream("/upload", &Multipart::content_type(), body, length);

        assert_eq!(answer.status, 200, "{}", answer.text());
        assert_eq!(acme.check("0.1")["version"], "1.0.0");
    });
}
