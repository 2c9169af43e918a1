//! This version reads the stores of earlier ones.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;

use serde_json::{Value, json};
use spindrift_core::Timestamp;
use spindrift_core::audit::AuditChain;
use spindrift_tests::fixture::{Asked, Fixture};
use spindrift_tests::{Account, CDN_BUCKET, Client, Driver, PASSWORD, Release, World};

/// The releases whose stores are kept.
const RELEASES: [&str; 1] = ["0.1.0"];
/// Environment variable: the version whose fixture is written, with the code of its release.
const WRITE: &str = "SPINDRIFT_WRITE_FIXTURE";
/// Longer than the plan of the rollout in the stores, in seconds.
const PLAN_SECONDS: i64 = 2 * 60 * 60;
/// Requests that two processes answer while the schema is migrated.
const REQUESTS: usize = 200;
/// Threads that send them.
const THREADS: usize = 8;

#[test]
fn every_answer_is_as_it_was() {
    for release in RELEASES {
        assert_answers_are_as_they_were(&Fixture::read(release));
    }
}

#[test]
fn this_version_makes_its_fixture() {
    let temporary = tempfile::tempdir().unwrap();
    let version = std::env::var(WRITE).ok();
    let folder = version.map_or_else(|| temporary.path().to_owned(), |version| Fixture::folder(&version));
    assert_answers_are_as_they_were(&Fixture::make(folder));
}

fn assert_answers_are_as_they_were(fixture: &Fixture) {
    for with_records in [true, false] {
        let world = fixture.world(with_records);
        let before = world.platform().requests();
        let answers = fixture.ask(&world);
        assert_eq!(world.platform().requests(), before, "the storage's clock is another one");
        for before in fixture.answers() {
            let now = answers.iter().find(|now| now.path == before.path);
            let now = now.unwrap_or_else(|| panic!("not asked: {before:?}"));
            assert_eq!(before, comparable(&before, now), "with kept records: {with_records}");
        }
    }
}

/// An answer without the fields that later versions may add.
fn comparable(before: &Asked, now: &Asked) -> Asked {
    Asked { body: only_known(&before.body, &now.body), ..now.clone() }
}

/// A body without the fields that it did not have before.
fn only_known(before: &Value, now: &Value) -> Value {
    match (before, now) {
        (Value::Object(before), Value::Object(now)) => now
            .iter()
            .filter_map(|(name, now)| Some((name.clone(), only_known(before.get(name)?, now))))
            .collect(),
        (Value::Array(before), Value::Array(now)) if before.len() == now.len() => {
            before.iter().zip(now).map(|(before, now)| only_known(before, now)).collect()
        }
        (_, now) => now.clone(),
    }
}

/// Work that was begun by the earlier version is ended by this one, and the next work begins.
#[test]
fn work_goes_on() {
    for release in RELEASES {
        let fixture = Fixture::read(release);
        let world = fixture.world(true);
        // Uploads and maintenance go to the storage, whose clock is right. The upload is as old as it was.
        let now = jiff::Timestamp::now().as_millisecond();
        world.platform().set_time(Timestamp::from_millis(now));
        let later = "UPDATE upload_sessions SET expires_at = expires_at + ?1";
        world.database().execute(later, [now - fixture.made_at()]).unwrap();
        world.platform().set_variable("s3_presign_endpoint", "");
        let acme = world.login("acme", PASSWORD);
        let begun = verified_log(&acme);
        world.age_rollouts(PLAN_SECONDS);
        let _ = acme.post("/maintenance/run").send().expect(200);
        let planned = acme.get("/releases?app=notes&version=2.0.0").ok();
        assert_eq!(planned["offers"][0]["rollout"]["state"], "complete", "{planned}");
        assert_eq!(planned["offers"][1]["rollout"]["percent"], 12, "{planned}");
        let upload = json!({ "upload_id": fixture.secret("upload_id") });
        let _ = acme.post_json("/upload/complete", upload).send().expect(200);
        assert_eq!(acme.check("1.0.0")["version"], "4.0.0");
        for app in ["notes", "vault"] {
            acme.publish(Release::new("5.0.0").with("app_name", app).with_digests());
            let check = acme.check_path("4.0.0").replace("app_name=notes", &format!("app_name={app}"));
            assert_eq!(acme.get(&check).ok()["version"], "5.0.0", "{app}");
        }
        let ci = acme.with_credential(fixture.secret("ci_token"));
        ci.publish(Release::new("6.0.0"));
        let _ = acme.post("/maintenance/run").send().expect(200);
        assert!(verified_log(&acme) > begun);
        let mode: String = world.database().query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal", "which a database made of statements does not have");
        assert!(!world.store().keys(CDN_BUCKET, "responses/acme/notes/").is_empty());
    }
}

/// The number of entries in the audit log, which are a chain.
fn verified_log(acme: &Account) -> u64 {
    let mut chain = AuditChain::new(None);
    for line in acme.get("/audit?format=jsonl&limit=1000").send().expect(200).text().lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        chain.add(line["entry"].as_str().unwrap(), line["hash"].as_str().unwrap().parse().unwrap()).unwrap();
    }
    chain.seq()
}

/// The numbers of the files in `sql/`.
fn migrations() -> BTreeSet<i64> {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql")).unwrap();
    let name = |file: std::io::Result<std::fs::DirEntry>| file.unwrap().file_name().into_string().unwrap();
    files.map(name).filter_map(|name| name.split_once('_')?.0.parse().ok()).collect()
}

/// During a rolling update, the first requests come to several processes at once.
#[test]
fn two_processes_migrate_once_and_both_serve() {
    let world = World::new(Driver::Embedded);
    let beside = world.beside();
    // Each host has asked the database at its start.
    let drops = "SELECT 'DROP ' || type || ' ' || name || ';' FROM sqlite_schema \
                 WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'";
    let drops: Vec<String> = world.database().query_rows(drops, [], |row| row.get(0)).unwrap();
    let drops = drops.concat();
    world.database().execute_batch(&format!("PRAGMA foreign_keys = OFF; {drops}")).unwrap();
    let clients = [world.client().clone(), Client::new(&beside.url())];
    let paths = [
        "/checkVersion?app_name=notes&version=0.1&channel=stable&platform=linux&arch=amd64&owner=acme",
        "/apps/latest?app_name=notes&owner=acme",
        "/health",
        "/telemetry/beacon?app_name=notes&version=0.1&channel=stable&platform=linux&arch=amd64&owner=acme",
    ];
    let statuses: Vec<(usize, u16)> = thread::scope(|scope| {
        let ask = |thread: usize| {
            let (clients, paths) = (&clients, &paths);
            scope.spawn(move || {
                let ask = |n: usize| {
                    let client = &clients[(n + thread) % 2];
                    let call = client.get(paths[n % paths.len()]);
                    (n, call.header("x-device-id", &format!("{thread} {n}")).send().status)
                };
                (0..REQUESTS / THREADS).map(ask).collect::<Vec<_>>()
            })
        };
        let threads: Vec<_> = (0..THREADS).map(ask).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });

    assert_eq!(statuses.len(), REQUESTS);
    for (n, status) in statuses {
        assert!(status < 500, "{} was answered {status}", paths[n % paths.len()]);
    }
    let sql = "SELECT version FROM schema_migrations";
    let applied: BTreeSet<i64> =
        world.database().query_rows(sql, [], |row| row.get(0)).unwrap().into_iter().collect();
    assert_eq!(applied, migrations(), "each; that none is applied twice is a rule of the table");
    world.admin("acme").create_app("notes");
    let acme = beside.login("acme", PASSWORD);
    assert_eq!(acme.get("/app/list").ok()["apps"][0]["AppName"], "notes");
}
