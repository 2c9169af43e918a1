//! Many callers at once.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

on_hosts! {
    every: [
        completions_and_edits_of_one_app_lose_nothing,
        checks_see_each_change_at_once,
        a_new_database_is_migrated_once,
    ],
    in_process: [many_checks_of_an_old_record_leave_a_new_one],
}

/// Connections that are used at the same time.
const CONNECTIONS: usize = 32;
/// Completions, and as many edits.
const CALLS: usize = 100;

/// Calls `work` with the numbers below `count`, on as many threads as there are connections.
pub(crate) fn in_parallel(count: usize, work: impl Fn(usize) + Sync) {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::SeqCst);
                    if number >= count {
                        return;
                    }
                    work(number);
                }
            });
        }
    });
}

fn completions_and_edits_of_one_app_lose_nothing(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let edited = acme.publish(Release::empty("0.0.1").file("n.zip", "x"));
    let uploads: Vec<_> =
        (0..CALLS).map(|n| acme.stage(&Release::new(&format!("1.0.{n}")).published())).collect();

    // Every other call publishes a version, the ones between change one field each of one release.
    in_parallel(2 * CALLS, |number| {
        let (n, is_edit) = (number / 2, number % 2 == 1);
        let answer = if is_edit {
            acme.edit(&edited, json!({ "rollout": 100 - n % 100, "changelog": format!("edit {n}") }))
        } else {
            acme.complete(&uploads[n])
        };
        assert_eq!(answer.status, 200, "call {number}: {}", answer.text());
    });

    let found = acme.get("/search?limit=100&published=true").ok();
    assert_eq!(found["total"], CALLS + 1);
    let second = acme.get("/search?limit=100&page=2&published=true").ok();
    let versions: BTreeSet<String> = [&found, &second]
        .into_iter()
        .flat_map(|page| page["items"].as_array().unwrap())
        .map(|release| release["Version"].as_str().unwrap().to_owned())
        .collect();
    assert!((0..CALLS).all(|n| versions.contains(&format!("1.0.{n}"))), "{versions:?}");
    assert_eq!(acme.check("0.1")["version"], format!("1.0.{}", CALLS - 1));
    assert_edit_is_whole(&second["items"][0]);
}

/// Rollout and changelog come from the same edit.
fn assert_edit_is_whole(release: &Value) {
    assert_eq!(release["Version"], "0.0.1");
    let changes = release["Changelog"][0]["Changes"].as_str().unwrap();
    let n: i64 = changes.trim_start_matches("edit ").parse().unwrap();
    assert_eq!(release["RolloutPercent"], 100 - n % 100, "{changes}");
}

fn checks_see_each_change_at_once(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    let others: Vec<Account> = (0..8).map(|_| acme.clone()).collect();
    let id = acme.publish(Release::new("1.0.0"));
    let done = AtomicBool::new(false);

    thread::scope(|scope| {
        let _done = Done(&done);
        for other in &others {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let _ = other.check("0.1");
                }
            });
        }
        // Even while others fill the service's memory, the next check sees a change that was answered.
        for n in 0..40 {
            let _ = acme.edit(&id, json!({ "changelog": format!("edit {n}") })).expect(200);
            assert_eq!(acme.check("0.1")["changelog"], format!("edit {n}"));
        }
    });
}

fn many_checks_of_an_old_record_leave_a_new_one(host: Driver) {
    let world = World::new(host);
    let acme = world.admin("acme").with_notes();
    acme.publish(Release::new("1.0.0"));

    for _ in 0..10 {
        world.platform().fail_sql(false);
        world.advance(61);
        in_parallel(4 * CONNECTIONS, |_| assert_eq!(acme.check("0.1")["version"], "1.0.0"));
        world.platform().fail_sql(true);
        assert_eq!(acme.check("0.1")["version"], "1.0.0", "without the database");
    }
}

/// Ends the threads of a test also when it fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn a_new_database_is_migrated_once(host: Driver) {
    let world = World::builder(host).without_database().start();

    in_parallel(64, |_| {
        let _ = world.get("/health").send().expect(200);
    });

    let count = |sql: &str| world.database().query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert!(count("SELECT count(*) FROM schema_migrations") >= 1);
    assert_eq!(
        count("SELECT count(*) FROM schema_migrations"),
        count("SELECT count(DISTINCT version) FROM schema_migrations")
    );
}
