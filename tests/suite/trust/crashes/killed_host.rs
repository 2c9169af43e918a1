//! A host that is killed for good.

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use spindrift_tests::trust::client::{Client, Installation, clients_and_library};
use spindrift_tests::trust::key::Signers;
use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::publisher::{Publisher, file};
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::{HostProcess, Noise, PUBLIC_BUCKET, until};

use super::super::gets;
use super::super::service::upload;
use crate::listing::begin;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// How many times the host is killed, unless `SPINDRIFT_TEST_KILLS` says otherwise.
const KILLS: u64 = 20;
/// Of so many kills, one hits a rotation and one signs again.
const CYCLE: u64 = 4;
/// How long a call is repeated while another one works.
const PATIENCE: Duration = Duration::from_secs(30);
/// The longest time for which a record answers, and a little for the way.
const RECORD_AGE: Duration = Duration::from_secs(70);

fn kills() -> u64 {
    std::env::var("SPINDRIFT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

fn places(host: &HostProcess) -> [Place; 2] {
    let bucket = format!("{}/{PUBLIC_BUCKET}/", host.objects.url());
    let metadata = format!("{bucket}tuf_metadata/acme/notes/");
    let bucket = Place { name: "bucket", metadata, targets: bucket, prefixed: false };
    [Place::of_service(&host.url, "acme/notes"), bucket]
}

/// A call of a round, and the publisher after it.
fn prepare(
    publisher: &Publisher,
    kill: u64,
    lists: &[Vec<TestTarget>; 2],
) -> (&'static str, Value, Publisher) {
    let list = &lists[usize::from(!kill.is_multiple_of(2))];
    let metadata = match kill % CYCLE {
        1 => return ("metadata/online", json!({}), publisher.clone()),
        2 => {
            let mut new = publisher.clone();
            let seed = 20 + 3 * u8::try_from(kill % 70).unwrap();
            new.root = Signers::one_of([seed]);
            new.targets = Signers::one_of([seed + 1]);
            let mut named = new.named();
            named.online = publisher.service_key("next_online_key");
            let current = publisher.get("metadata/root").json();
            let version = current["data"]["trusted_root"]["signed"]["version"].as_u64().unwrap();
            let signers = [&publisher.root.keys[..1], &new.root.keys].concat();
            let root = new.root_file(version + 1, &named, &signers);
            let signers = [&publisher.targets.keys[..], &new.targets.keys].concat();
            let targets = file(&new.unsigned_list(list, &[]), &signers);
            return ("metadata", json!({ "metadata": { "root": root, "targets": targets } }), new);
        }
        _ => json!({ "targets": publisher.list(list) }),
    };
    ("metadata", json!({ "metadata": metadata, "base": publisher.version("targets") }), publisher.clone())
}

/// As if so much time had passed that every call of before is dead.
fn end_leases(host: &HostProcess) {
    let database = Connection::open(host.database_path()).unwrap();
    database.busy_timeout(PATIENCE).unwrap();
    let _ended = database.execute("DELETE FROM leases", []).unwrap();
}

#[test]
fn an_embedded_host_that_is_killed_leaves_repositories_whole() {
    let state = tempfile::tempdir().unwrap();
    let mut host = HostProcess::start(PROGRAM, state.path());
    let acme = host.admin("acme").with_notes();
    let mut publisher = begin(&acme);
    let anchor = upload(&acme, "1.0.0");
    let lists = [vec![anchor.clone(), upload(&acme, "1.1.0")], vec![anchor.clone()]];
    let start = Instant::now();
    let _ = publisher.publish(&lists[1]).expect(200);
    let limit = u64::try_from(start.elapsed().as_micros()).unwrap();
    let pinned = publisher.pinned_root();
    let at = |place: usize| clients_and_library().into_iter().map(move |client| (place, client));
    let apps: Vec<_> =
        at(0).chain(at(1)).map(|(place, client)| (place, Installation::new(client, &pinned))).collect();
    let seed = std::process::id().into();
    println!("seed {seed}, kills within {limit} microseconds");
    let (mut random, mut interrupted) = (Noise::new(seed, 0), 0);

    for kill in 1..=kills() {
        let (path, body, after) = prepare(&publisher, kill, &lists);
        let call = {
            let (publisher, body) = (acme.clone(), body.clone());
            let path = format!("/tuf/v1/{path}?appName=notes");
            thread::spawn(move || {
                publisher.post_json(&path, body).try_send().ok().map(|answer| answer.status)
            })
        };
        let moment = Duration::from_micros(random.below(limit));
        // Not to wait for anything: a random moment.
        thread::sleep(moment);
        host = host.killed_and_restarted(PROGRAM);
        interrupted += usize::from(call.join().unwrap().is_none());
        if kill.is_multiple_of(2) {
            end_leases(&host);
        }
        for (place, app) in &apps {
            if matches!(app.client(), Client::Tough | Client::Library) {
                gets(app, &places(&host)[*place], &anchor);
            }
        }
        end_leases(&host);
        until("the repeated call ends", PATIENCE, || {
            let answer = publisher.send(path, body.clone());
            assert!(matches!(answer.status, 200 | 202 | 503), "{} {}", answer.status, answer.text());
            (answer.status != 503).then_some(())
        });
        publisher = after;
    }
    println!("{interrupted} of {} calls were interrupted", kills());
    assert!(interrupted > 0, "no kill hit a call");
    let _ = publisher.publish(&lists[0]).expect(200);
    for (place, app) in &apps {
        gets(app, &places(&host)[*place], &lists[0][1]);
    }
    // A call that was killed after its commit has left the record of before. No later call changed the same release.
    until("the record is read again", RECORD_AGE, || (acme.check("0.1")["version"] == "1.1.0").then_some(()));
}
