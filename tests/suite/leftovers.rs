//! Kills at any time: after maintenance, the storage holds exactly the recorded objects.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use rusqlite::Connection;
use serde_json::{Value, json};
use spindrift_tests::{
    Account, CDN_BUCKET, HostProcess, Multipart, Noise, PRIVATE_BUCKET, PUBLIC_BUCKET, Release,
    electron_yml_of,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// How many times the host is killed, unless `SPINDRIFT_TEST_KILLS` says otherwise.
const KILLS: u64 = 20;
/// Bytes of a file that goes to the storage in parts.
const LARGE: usize = 9 * 1024 * 1024;
/// Runs of maintenance after which nothing may be left to do.
const RUNS: usize = 4;

fn kills() -> u64 {
    std::env::var("SPINDRIFT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

#[test]
fn maintenance_leaves_what_is_recorded() {
    let state = tempfile::tempdir().unwrap();
    let mut host = HostProcess::start(PROGRAM, state.path());
    let acme = host.admin("acme").with_notes();
    acme.add_updater("linux", "electron-builder");
    let large = vec![7; LARGE];
    let start = Instant::now();
    let _ = acme.upload_in_one(&release("0.1.0", "n.msi", &large).file("n.msi", large.clone())).expect(200);
    // Twice as long as one call takes alone: the calls of a round wait for each other.
    let limit = 2 * u64::try_from(start.elapsed().as_micros()).unwrap();
    let seed = std::process::id().into();
    println!("seed {seed}, kills within {limit} microseconds");
    let (mut random, mut interrupted) = (Noise::new(seed, 0), 0);

    for kill in 1..=kills() {
        let round = Round::prepare(&acme, kill, &large);
        let moment = Duration::from_micros(random.below(limit));
        let calls = round.start(&acme);
        // Not to wait for anything: a random moment.
        thread::sleep(moment);
        host = host.killed_and_restarted(PROGRAM);
        interrupted += calls.into_iter().map(|call| call.join().unwrap()).filter(Option::is_none).count();
    }

    println!("{interrupted} calls were interrupted");
    assert!(interrupted > 0, "no kill hit a call");
    let before = stored(&host).len() + host.objects.open_uploads(PRIVATE_BUCKET).len();
    let _ = acme.post("/maintenance/run").send().expect(200);
    end_everything(&host.database_path());
    let after_one = stored(&host).len() + host.objects.open_uploads(PRIVATE_BUCKET).len();
    let removed = maintain(&acme);

    let (left, recorded) = (stored(&host), recorded(&host.database_path()));
    assert!(left.iter().eq(recorded.keys()), "stored: {left:?}, recorded: {recorded:?}");
    assert_eq!(host.objects.open_uploads(PRIVATE_BUCKET), [""; 0]);
    println!("{before} objects before, {} after", left.len());
    assert_eq!(u64::try_from(after_one - left.len()).unwrap(), removed, "removed objects are counted");
    assert_nothing_is_under_way(&host.database_path());
    let killed = host.killed();
    let storage = state.path().join("storage");
    for folder in ["blobs", "incoming"] {
        age_files(&storage.join(folder));
    }
    host = killed.start_again(PROGRAM);
    let with_marker = left.len() + 1;
    assert_eq!(files_below(&state.path().join("storage/blobs")), with_marker, "files on the disk");
    assert_releases_are_whole(&acme, &host);
}

/// Makes all files below a folder so old that no other process can still be writing them.
fn age_files(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age_files(&path);
        } else {
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_hours(25)).unwrap();
        }
    }
}

/// With a feed of one of its files, so that there are objects besides artifacts.
fn release(version: &str, file: &str, bytes: &[u8]) -> Release {
    Release::empty(version).published().feed("latest.yml", electron_yml_of(version, file, bytes))
}

/// The uploads before a kill, and the calls that it interrupts.
struct Round(Vec<(&'static str, Vec<u8>, String)>);

const FORM: &str = "multipart/form-data";
const JSON: &str = "application/json";

impl Round {
    fn prepare(acme: &Account, kill: u64, large: &[u8]) -> Self {
        let version = |n: u64| format!("{n}.{kill}.0");
        let of = |n: u64, rpm: &[u8]| release(&version(n), "n.rpm", rpm);
        let feed = |n: u64, rpm: &str| electron_yml_of(&version(n), "n.rpm", rpm.as_bytes());
        let staged = acme.stage(&of(1, large).file("n.deb", "staged").file("n.rpm", large));
        let edited = acme.upload(&of(2, b"stays").file("n.deb", "broken").file("n.rpm", "stays"));
        let deleted = acme.upload(&of(3, b"y").file("n.deb", "x").file("n.rpm", "y"));
        let halved = acme.upload(&of(4, b"y").file("n.deb", "x").file("n.rpm", "y"));
        let data = |release: &Release| release.data().to_string();

        let complete = json!({ "upload_id": staged.id }).to_string();
        let in_one = Multipart::new().field("data", data(&of(5, b"z"))).file("n.deb", large);
        let in_one = in_one.file("n.rpm", "z").file("latest.yml", feed(5, "z"));
        let files_first =
            Multipart::new().file("n.deb", large).file("n.rpm", "z").field("data", data(&of(6, b"z")));
        let mut change = of(2, b"stays").data().clone();
        change["id"] = json!(edited);
        change["artifacts_to_delete"] = json!([0]);
        let edit = Multipart::new().field("data", change.to_string()).file("n.deb", large);
        let edit = edit.file("latest.yml", feed(2, "stays"));
        let halve = json!({
            "id": halved, "app_name": "notes", "version": format!("4.{kill}.0"), "artifacts_to_delete": [0],
        });
        let halve = Multipart::new().field("data", halve.to_string());
        Self(vec![
            (JSON, complete.into_bytes(), "/upload/complete".to_owned()),
            (FORM, in_one.finish(), "/upload".to_owned()),
            (FORM, files_first.finish(), "/upload".to_owned()),
            (FORM, edit.finish(), "/apps/update".to_owned()),
            ("", Vec::new(), format!("/apps/delete?id={deleted}")),
            (FORM, halve.finish(), "/artifact/delete".to_owned()),
        ])
    }

    /// Each call answers its status, if there was an answer.
    fn start(self, acme: &Account) -> Vec<JoinHandle<Option<u16>>> {
        let start = |(kind, body, path): (&'static str, Vec<u8>, String)| {
            let acme = acme.clone();
            thread::spawn(move || {
                let call = match kind {
                    "" => acme.delete(&path),
                    FORM => acme.post(&path).header("content-type", &Multipart::content_type()).body(&body),
                    kind => acme.post(&path).header("content-type", kind).body(&body),
                };
                call.try_send().ok().map(|answer| answer.status)
            })
        };
        self.0.into_iter().map(start).collect()
    }
}

/// Bucket and key.
type Object = (String, String);

fn stored(host: &HostProcess) -> BTreeSet<Object> {
    let buckets = [("public", PUBLIC_BUCKET), ("private", PRIVATE_BUCKET), ("cdn", CDN_BUCKET)];
    let of_bucket = |(name, bucket): (&str, &str)| {
        let keys = host.objects.keys(bucket, "");
        assert!(keys.len() < 1000, "more than one page");
        keys.into_iter().map(|key| (name.to_owned(), key)).collect::<Vec<_>>()
    };
    buckets.into_iter().flat_map(of_bucket).collect()
}

/// With sizes in bytes, which only artifacts have.
fn recorded(database: &Path) -> BTreeMap<Object, Option<u64>> {
    let database = Connection::open(database).unwrap();
    let sql = "SELECT bucket, storage_key, size FROM artifacts UNION ALL SELECT bucket, storage_key, NULL FROM feed_files";
    let mut statement = database.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// As if so much time had passed that every call of before is dead.
fn end_everything(database: &Path) {
    let database = Connection::open(database).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    for sql in [
        "UPDATE upload_sessions SET expires_at = 1, busy_until = 0",
        "UPDATE incoming_uploads SET expires_at = 1",
        "UPDATE object_claims SET expires_at = 1",
        "DELETE FROM leases",
    ] {
        database.execute(sql, []).unwrap();
    }
}

/// Runs maintenance until it has nothing to do; answers how many objects it removed.
fn maintain(acme: &Account) -> u64 {
    let run = || acme.post("/maintenance/run").ok();
    let runs: Vec<Value> = (0..RUNS).map(|_| run()).collect();
    assert_eq!(runs[RUNS - 1]["objects_deleted"], 0, "{runs:?}");
    runs.iter().map(|body| body["objects_deleted"].as_u64().unwrap()).sum()
}

fn assert_nothing_is_under_way(database: &Path) {
    let database = Connection::open(database).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM object_claims"), 0);
    assert_eq!(count("SELECT count(*) FROM incoming_uploads"), 0);
    assert_eq!(count("SELECT count(*) FROM upload_sessions WHERE state <> 'finished'"), 0);
}

fn files_below(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { 1 }).sum()
}

/// Each release has its old files or its new ones, and not something in between.
fn assert_releases_are_whole(acme: &Account, host: &HostProcess) {
    let sizes = recorded(&host.database_path());
    for release in acme.releases() {
        let artifacts = &release.artifacts;
        let halved = release.version.starts_with("4.");
        assert!(
            artifacts.len() == 2 || (halved && artifacts.len() == 1) || release.version == "0.1.0",
            "{release:?}"
        );
        for artifact in artifacts {
            let (_, key) = artifact.link.split_once(&format!("/{PUBLIC_BUCKET}/")).unwrap();
            let size = sizes.get(&("public".to_owned(), key.to_owned())).copied().flatten();
            assert_eq!(host.objects.size(PUBLIC_BUCKET, key), size, "{}", artifact.link);
        }
    }
}
