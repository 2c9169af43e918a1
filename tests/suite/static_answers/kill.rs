//! A service that is killed at any moment: the next maintenance sets its static answers right.

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;
use spindrift_tests::{Account, HostProcess, Noise, Release, Upload};

use super::{FOLDER, assert_true, keys, keys_in, with_cdn};

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// How many times the host is killed, unless `SPINDRIFT_TEST_KILLS` says otherwise.
const KILLS: u64 = 25;
/// Versions that were once published: enough objects that a kill finds some written and some not.
const VERSIONS: usize = 60;

#[test]
fn static_answers_survive_kill_9() {
    let state = tempfile::tempdir().unwrap();
    let mut host = HostProcess::start(PROGRAM, state.path());
    let acme = with_cdn(host.admin("acme"));
    let id = acme.publish(Release::new("2.0.0"));
    remember_versions(&host);
    // One that nobody kills tells how long they take.
    let first = acme.stage(&Release::new("3.0.0").published());
    let start = Instant::now();
    assert!(change(&acme, &id, 0, &first));
    let limit = u64::try_from(start.elapsed().as_micros()).unwrap();
    let kills =
        std::env::var("SPINDRIFT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let seed = std::process::id().into();
    println!("seed {seed}, two changes take {limit} microseconds");
    let (mut random, mut interrupted) = (Noise::new(seed, 0), 0);

    for kill in 1..=kills {
        let uploaded = acme.stage(&Release::new(&format!("3.{kill}.0")).published());
        let change = {
            let (acme, id) = (acme.clone(), id.clone());
            thread::spawn(move || change(&acme, &id, kill, &uploaded))
        };
        // Not to wait for anything: a random moment.
        thread::sleep(Duration::from_micros(random.below(limit)));
        host = host.killed_and_restarted(PROGRAM);
        interrupted += u64::from(!change.join().unwrap());
        let _ = acme.post("/maintenance/run").send().expect(200);
        assert_projected(&host, &acme);
    }

    println!("{interrupted} of {kills} kills interrupted a change");
    assert!(interrupted > 0, "no kill hit the tested work");
}

/// Changes one release and publishes another one; answers whether both calls were answered with 200.
fn change(acme: &Account, id: &str, number: u64, upload: &Upload) -> bool {
    let data =
        json!({ "id": id, "changelog": format!("text {number}"), "rollout": 100 - number % 100 }).to_string();
    let calls = [
        acme.post_form("/apps/update", &[("data", &data)]).try_send(),
        acme.post_json("/upload/complete", json!({ "upload_id": upload.id })).try_send(),
    ];
    calls.iter().all(|answer| answer.as_ref().is_ok_and(|answer| answer.status == 200))
}

fn database(host: &HostProcess) -> Connection {
    let database = Connection::open(host.database_path()).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    database
}

fn remember_versions(host: &HostProcess) {
    let mut database = database(host);
    let transaction = database.transaction().unwrap();
    for n in 0..VERSIONS {
        let version: spindrift_core::Version = format!("1.0.{n}").parse().unwrap();
        let sql = "INSERT OR IGNORE INTO scope_versions SELECT DISTINCT app_id, ?1, channel_id, platform_id, arch_id, ?2 FROM scope_versions";
        transaction.execute(sql, [version.sort_key(), version.to_string()]).unwrap();
    }
    transaction.commit().unwrap();
}

/// There is an object for every version, and each equals the answer of a check.
fn assert_projected(host: &HostProcess, acme: &Account) {
    let database = database(host);
    let mut statement = database.prepare("SELECT version FROM scope_versions").unwrap();
    let versions: Vec<String> =
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let versions: Vec<&str> = versions.iter().map(String::as_str).collect();
    assert_eq!(keys(&host.objects), keys_in(FOLDER, &versions));
    assert_true(&host.objects, acme);
}
