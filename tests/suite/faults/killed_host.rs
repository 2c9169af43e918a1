//! A host that is killed, and not restarted, while several of these calls are under way.

use std::thread;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use spindrift_tests::{HostProcess, Noise, Release};

use super::calls::{Call, KINDS, Kind, Scene};
use super::visible;

const PROGRAM: &str = env!("CARGO_BIN_EXE_host-under-test");
/// How many times the host is killed, unless `SPINDRIFT_TEST_KILLS` says otherwise.
const KILLS: u64 = 8;

fn kills() -> u64 {
    std::env::var("SPINDRIFT_TEST_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS)
}

/// As if so much time had passed that every call of before is dead.
fn end_leases(host: &HostProcess) {
    let database = Connection::open(host.database_path()).unwrap();
    database.busy_timeout(Duration::from_secs(30)).unwrap();
    let _ended = database.execute("DELETE FROM leases", []).unwrap();
}

/// Makes a call that nobody waits for. Returns whether it was answered as it should be, and the call.
fn start(kind: &'static Kind, call: Call) -> thread::JoinHandle<(bool, Call)> {
    thread::spawn(move || (call().is_some_and(|answer| kind.ends.contains(&answer.status)), call))
}

#[test]
fn every_other_call_survives_kill_9() {
    let state = tempfile::tempdir().unwrap();
    let mut host = HostProcess::start(PROGRAM, state.path());
    let scene = Scene::new(host.client(), host.admin("acme"));
    let seed = std::process::id().into();
    println!("seed {seed}");
    let (mut random, mut interrupted, mut usual) = (Noise::new(seed, 0), 0, None);

    for kill in 0..=kills() {
        let prepare = |(number, kind): (usize, &'static Kind)| {
            (kind, (kind.prepare)(&scene, &format!("{number}-{kill}")))
        };
        let calls: Vec<_> = KINDS.iter().enumerate().map(prepare).collect();
        let began = Instant::now();
        let running: Vec<_> = calls.into_iter().map(|(kind, call)| (kind, start(kind, call))).collect();
        // The first round tells how long the calls take.
        if let Some(usual) = usual {
            // Not to wait for anything: a random moment.
            thread::sleep(Duration::from_micros(random.below(usual)));
            host = host.killed_and_restarted(PROGRAM);
            end_leases(&host);
        }
        for (kind, running) in running {
            let (is_ended, call) = running.join().unwrap();
            interrupted += u64::from(!is_ended);
            let again = call().unwrap();
            assert!(kind.ends.contains(&again.status), "{}: {} {}", kind.name, again.status, again.text());
        }
        usual = usual.or_else(|| u64::try_from(began.elapsed().as_micros()).ok());
    }
    println!("{interrupted} calls were interrupted");
    assert!(interrupted > 0, "no kill hit a call");
    let seen = visible(&scene.acme);
    host = host.killed_and_restarted(PROGRAM);
    assert_eq!(visible(&scene.acme), seen);
    scene.acme.publish(Release::new("9.0.0"));
    assert_eq!(scene.acme.check("0.1")["version"], "9.0.0", "{}", host.url);
}
