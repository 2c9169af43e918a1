//! A service that is killed at any moment leaves nothing half.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use spindrift_tests::{
    Account, Client, Driver, HostProcess, Noise, PASSWORD, PRIVATE_BUCKET, PUBLIC_BUCKET, Release, Upload,
    World,
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// How many times the host is killed, unless `SPINDRIFT_TEST_KILLS` says otherwise.
const KILLS: u64 = 50;
/// Uploads whose completion is under way when the host is killed.
const AT_ONCE: u64 = 3;
/// Files of each upload.
const FILES: usize = 3;

/// The same of Spins, each of which takes seconds to start.
const KILLS_OF_SPIN: u64 = 5;

fn kills(usual: u64) -> u64 {
    std::env::var("SPINDRIFT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn completions_survive_kill_9() {
    let state = tempfile::tempdir().unwrap();
    let mut host = HostProcess::start(PROGRAM, state.path());
    let acme = host.admin("acme").with_notes();
    let (mut uploads, mut moments) = first_completions(&acme);

    for kill in 1..=kills(KILLS) {
        let new = stage(&acme, kill);
        let calls = start_completions(&acme, &new);
        moments.wait_for_one();
        host = host.killed_and_restarted(PROGRAM);
        moments.note(calls);
        uploads.extend(new);
        assert_releases_are_whole(&acme);
    }

    assert_all_can_be_finished(&acme, &uploads, moments.interrupted);
    assert_eq!(host.objects.keys(PRIVATE_BUCKET, ""), Vec::<String>::new(), "nothing is left staged");
    assert_artifacts_have_objects(&host, uploads.len() * FILES);
    assert_no_claims_are_left(&host.database_path());
}

/// One of two Spins on the same stores is killed; the other one completes its uploads.
#[test]
fn completions_survive_kill_9_of_one_spin() {
    spindrift_tests::run(Driver::Spin, |host| {
        let world = World::new(host);
        let acme = world.admin("acme").with_notes();
        let (mut uploads, mut moments) = first_completions(&acme);

        for kill in 1..=kills(KILLS_OF_SPIN) {
            let other = world.beside();
            let caller = other.login("acme", PASSWORD);
            let new = stage(&acme, kill);
            let calls = start_completions(&caller, &new);
            moments.wait_for_one();
            drop(other);
            moments.note(calls);
            uploads.extend(new);
            assert_releases_are_whole(&acme);
        }

        assert_all_can_be_finished(&acme, &uploads, moments.interrupted);
        assert_eq!(world.store().keys(PRIVATE_BUCKET, ""), Vec::<String>::new(), "nothing is left staged");
        let left = "SELECT (SELECT count(*) FROM object_claims) + \
                    (SELECT count(*) FROM upload_sessions WHERE state <> 'finished')";
        assert_eq!(world.number(left), Ok(0));
    });
}

/// Random moments of completions, and how many of these were interrupted.
struct Moments {
    random: Noise,
    /// The latest one, in microseconds.
    latest: u64,
    /// Its first value.
    first_latest: u64,
    interrupted: usize,
}

impl Moments {
    fn of_completions_that_take(usual: Duration) -> Self {
        let seed = std::process::id().into();
        println!("seed {seed}, one completion takes {usual:?}");
        let latest = u64::try_from(usual.as_micros()).unwrap() * (AT_ONCE + 1);
        Self { random: Noise::new(seed, 0), latest, first_latest: latest, interrupted: 0 }
    }

    /// Sleeps until the moment, not for anything to happen.
    fn wait_for_one(&mut self) {
        thread::sleep(Duration::from_micros(self.random.below(self.latest)));
    }

    /// Completions take as long as the machine is busy. If all had ended by the last moment, the next ones are sooner,
    /// and if none was, later: so they come at the beginning as well as at the end.
    fn note(&mut self, calls: Vec<Running>) {
        let (all, interrupted) = (calls.len(), count_interrupted(calls));
        if interrupted == 0 {
            self.latest = (self.latest / 2).max(1);
        } else if interrupted == all {
            self.latest = (self.latest * 2).min(self.first_latest);
        }
        self.interrupted += interrupted;
    }
}

/// Completes two uploads. The second one tells how long that takes: the first finds nothing ready.
fn first_completions(acme: &Account) -> (Vec<Upload>, Moments) {
    let uploads = ["1.0.0", "1.0.1"].map(|version| acme.stage(&release(version)));
    let mut took = Duration::ZERO;
    for upload in &uploads {
        let start = Instant::now();
        let _ = acme.complete(upload).expect(200);
        took = start.elapsed();
    }
    (uploads.into(), Moments::of_completions_that_take(took))
}

/// Uploads whose files have arrived.
fn stage(acme: &Account, kill: u64) -> Vec<Upload> {
    (0..AT_ONCE).map(|n| acme.stage(&release(&format!("1.{kill}.{n}")))).collect()
}

fn release(version: &str) -> Release {
    let file = |release: Release, n: usize| {
        release.file(&format!("{n}.{}", ["deb", "rpm", "dmg"][n % 3]), format!("file {n} of {version}"))
    };
    (0..FILES).fold(Release::empty(version), file).published()
}

/// A completion that nobody waits for.
struct Running(thread::JoinHandle<Option<u16>>);

impl Running {
    fn was_answered_with_200(self) -> bool {
        match self.0.join().unwrap() {
            Some(200) => true,
            // No answer, or the answer of a host that ends.
            None | Some(500 | 502 | 503) => false,
            Some(status) => panic!("a completion was answered {status}"),
        }
    }
}

fn start_completions(acme: &Account, uploads: &[Upload]) -> Vec<Running> {
    let start = |upload: &Upload| {
        let (acme, id) = (acme.clone(), upload.id.clone());
        Running(thread::spawn(move || {
            let call = acme.post_json("/upload/complete", json!({ "upload_id": id }));
            call.try_send().ok().map(|answer| answer.status)
        }))
    };
    uploads.iter().map(start).collect()
}

fn count_interrupted(calls: Vec<Running>) -> usize {
    calls.into_iter().map(Running::was_answered_with_200).filter(|finished| !finished).count()
}

/// `interrupted`: how many completions were. The first two uploads were completed before.
fn assert_all_can_be_finished(acme: &Account, uploads: &[Upload], interrupted: usize) {
    println!("{interrupted} of {} completions were interrupted", uploads.len() - 2);
    assert!(interrupted > 0, "no kill hit a completion");
    let released = finish(acme, uploads);
    assert_eq!(finish(acme, uploads), released, "the same answers again");
    assert_eq!(acme.get("/search").ok()["total"], uploads.len());
}

/// Visible releases have all of their files, and every file can be downloaded.
fn assert_releases_are_whole(acme: &Account) {
    let newest = acme.get("/search?limit=8").ok();
    for release in newest["items"].as_array().unwrap() {
        assert_eq!(release["Artifacts"].as_array().unwrap().len(), FILES, "{release}");
        assert_eq!(release["Published"], true);
    }
    let offered = acme.check("0.1");
    let links = offered.as_object().unwrap().iter().filter(|(key, _)| key.starts_with("update_url"));
    let links: Vec<&str> = links.filter_map(|(_, url)| url.as_str()).collect();
    assert_eq!(links.len(), FILES, "{offered}");
    for url in links {
        let _ = Client::new("").get(url).send().expect(200);
    }
}

fn finish(acme: &Account, uploads: &[Upload]) -> Vec<Value> {
    uploads.iter().map(|upload| acme.complete(upload).expect(200).json()).collect()
}

fn assert_artifacts_have_objects(host: &HostProcess, expected: usize) {
    let database = Connection::open(host.database_path()).unwrap();
    let mut statement = database.prepare("SELECT bucket, storage_key, size FROM artifacts").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    let rows: Vec<(String, String, u64)> = rows.map(Result::unwrap).collect();
    assert_eq!(rows.len(), expected);
    for (bucket, key, size) in rows {
        assert_eq!(bucket, "public");
        assert_eq!(host.objects.size(PUBLIC_BUCKET, &key), Some(size), "{key}");
    }
}

fn assert_no_claims_are_left(database: &Path) {
    let database = Connection::open(database).unwrap();
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM object_claims"), 0);
    assert_eq!(count("SELECT count(*) FROM upload_sessions WHERE state <> 'finished'"), 0);
}
