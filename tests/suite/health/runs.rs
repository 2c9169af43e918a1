//! Runs come to every release, whoever else has releases, runs the guard, or fails.

use serde_json::{Value, json};
use spindrift_core::Version;
use spindrift_tests::{Account, Driver, Release, on_hosts};

use super::{CRASH, Scene, guard_run, reporting, today};
use crate::reports::{create_notes, failure, send};

on_hosts! {
    every: [
        no_owner_keeps_the_others_waiting,
        the_operator_takes_precedence,
    ],
    in_process: [
        releases_that_are_over_take_no_places,
        a_run_says_what_it_left_and_the_next_one_goes_on,
        an_application_that_fails_does_not_end_a_run,
        a_release_that_cannot_be_read_does_not_end_a_run,
        many_releases_that_fail_do_not_keep_a_run_from_the_others,
        the_overview_shows_a_rollout_behind_many_complete_ones,
        an_overview_of_one_application_shows_its_own,
    ],
}

const TOKEN: &str = "a-token-for-maintenance";
/// More than a run looks at.
const MANY: u32 = 205;
const DAY_MILLIS: i64 = 24 * 60 * 60 * 1000;

/// The operator may run it, and 2.0.0 fails on more devices than its guard allows.
fn failing(host: Driver) -> Scene {
    let scene = Scene::of(reporting(host).with_variable("maintenance_token", TOKEN).start());
    scene.publish(&json!({ "guard": { "on_unhealthy": "halt", "max_failing": 3 } }));
    scene.fail("2.0.0", CRASH, 4);
    scene
}

fn operator(scene: &Scene) -> Account {
    scene.acme.with_credential(TOKEN)
}

/// Gives the application of 1.0.0 many more releases like it, which clients first saw so many days ago.
fn add_many(scene: &Scene, days_ago: i64) {
    let at = (today(&scene.world) - days_ago) * DAY_MILLIS;
    copy_many(scene, "1.0.0", &format!("offered_at = {at}, round_at = {at}"));
}

/// Makes many copies of a release, with this change.
fn copy_many(scene: &Scene, version: &str, change: &str) {
    let copy = format!("CREATE TEMP TABLE copy AS SELECT * FROM releases WHERE version = '{version}'");
    let mut sql = format!("BEGIN; {copy}; UPDATE copy SET {change};");
    for n in 0..MANY {
        let version: Version = format!("0.{n}").parse().unwrap();
        let key = version.sort_key();
        let one = format!("id = 'copy-{n}', version = '{version}', version_key = '{key}'");
        sql.extend(["UPDATE copy SET ", one.as_str(), "; INSERT INTO releases SELECT * FROM copy;"]);
    }
    sql.push_str("DROP TABLE copy; COMMIT;");
    scene.world.database().execute_batch(&sql).unwrap();
}

/// Numbers of a run: looked at, failed, left.
fn numbers(run: &Value) -> [u64; 3] {
    ["looked_at", "failed", "left"].map(|name| run[name].as_u64().unwrap())
}

/// Another run has the lease of an owner, or `None`: of the operator.
fn lease(scene: &Scene, owner: Option<&str>) {
    let name = match owner {
        Some(owner) => format!("(SELECT 'guard.' || id FROM users WHERE username = '{owner}')"),
        None => "'guard'".to_owned(),
    };
    let sql =
        format!("INSERT INTO leases (name, holder, expires_at) VALUES ({name}, 'another', 99999999999999)");
    scene.world.database().execute(&sql, []).unwrap();
}

fn leases(scene: &Scene) -> i64 {
    scene.world.number("SELECT count(*) FROM leases WHERE name LIKE 'guard%'").unwrap()
}

fn releases_that_are_over_take_no_places(host: Driver) {
    let scene = failing(host);
    add_many(&scene, 20);

    let run = scene.run();

    assert_eq!(numbers(&run), [2, 0, 0]);
    assert_eq!((&run["acted"][0]["version"], &run["acted"][0]["action"]), (&json!("2.0.0"), &json!("halt")));
}

fn a_run_says_what_it_left_and_the_next_one_goes_on(host: Driver) {
    let scene = failing(host);
    add_many(&scene, 2);
    // Of 205, 1.0.0 and 2.0.0.
    assert_eq!(numbers(&scene.run()), [200, 0, 7]);
    let _ = scene.run();
    let unseen = "SELECT count(*) FROM releases WHERE published AND health IS NULL";
    assert_eq!(scene.world.number(unseen), Ok(0));
    assert_eq!(scene.offered()["rollout"]["state"], "halted");
}

/// Another owner, created before the scene's, whose application cannot be looked at.
fn broken_before(host: Driver) -> Scene {
    let world = reporting(host).with_variable("maintenance_token", TOKEN).start();
    let other = world.admin("other");
    let key = create_notes(&other);
    other.publish(Release::new("1.0.0"));
    let _ = send(world.client(), &key, "device", &failure()).expect(202);
    world.database().execute("UPDATE report_groups SET days = 'no JSON'", []).unwrap();
    let scene = Scene::of(world);
    scene.publish(&json!({ "guard": { "on_unhealthy": "halt", "max_failing": 3 } }));
    for n in 0..6 {
        let _ = scene.report("2.0.0", CRASH, "segv", &format!("device-{n}")).expect(202);
    }
    scene
}

fn an_application_that_fails_does_not_end_a_run(host: Driver) {
    let scene = broken_before(host);
    let run = guard_run(&operator(&scene)).expect(200).json();
    assert_eq!((numbers(&run), &run["acted"][0]["version"]), ([2, 1, 0], &json!("2.0.0")));
    let again = guard_run(&operator(&scene)).expect(200).json();
    assert_eq!(numbers(&again), [2, 1, 0]);
}

fn a_release_that_cannot_be_read_does_not_end_a_run(host: Driver) {
    let scene = failing(host);
    let sql = "UPDATE releases SET health = 'no JSON' WHERE version = '1.0.0'";
    scene.world.database().execute(sql, []).unwrap();
    let run = scene.run();
    assert_eq!((numbers(&run), &run["acted"][0]["version"]), ([1, 1, 0], &json!("2.0.0")));
}

fn many_releases_that_fail_do_not_keep_a_run_from_the_others(host: Driver) {
    let scene = failing(host);
    add_many(&scene, 2);
    // After the first run they come first.
    let sql = "UPDATE releases SET health = 'no JSON' WHERE id LIKE 'copy-%'";
    scene.world.database().execute(sql, []).unwrap();
    scene
        .world
        .database()
        .execute("UPDATE releases SET health = NULL WHERE id NOT LIKE 'copy-%'", [])
        .unwrap();
    let run = scene.run();
    assert_eq!((numbers(&run), &run["acted"][0]["version"]), ([2, 205, 0], &json!("2.0.0")));
    assert_eq!(numbers(&scene.run()), [2, 205, 0]);
}

fn the_overview_shows_a_rollout_behind_many_complete_ones(host: Driver) {
    let scene = Scene::new(host);
    scene.publish(&json!({ "rollout": 5 }));
    add_many(&scene, -1);
    let overview = scene.acme.get("/telemetry/overview").ok();
    assert_eq!(overview["now"]["rollouts"][0]["version"], "2.0.0", "{}", overview["now"]);
}

fn an_overview_of_one_application_shows_its_own(host: Driver) {
    let scene = failing(host);
    let _ = scene.run();
    let other = scene.acme.create_app("other");
    let newer = "round_at = round_at + 1, health = json_set(health, '$.since', round_at + 1)";
    copy_many(&scene, "2.0.0", &format!("app_id = '{other}', {newer}"));
    let failing = |query: &str| {
        let overview = scene.acme.get(&format!("/telemetry/overview{query}")).ok();
        let failing = overview["now"]["failing"].as_array().unwrap();
        failing.iter().map(|release| release["app"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };

    assert_eq!(failing(""), ["other"; 20]);
    assert_eq!(failing("?app=notes"), ["notes"]);
    assert_eq!(failing("?app=unknown"), [""; 0]);
}

fn no_owner_keeps_the_others_waiting(host: Driver) {
    let scene = failing(host);
    let other = scene.world.admin("other").with_notes();
    other.publish(Release::new("1.0.0"));
    lease(&scene, Some("other"));

    let busy = guard_run(&other).expect(409);
    assert_eq!((busy.error(), busy.code()), ("a guard run is under way".to_owned(), "busy".to_owned()));
    assert_eq!(guard_run(&scene.acme).expect(200).json()["acted"][0]["version"], "2.0.0");
    assert_eq!(numbers(&guard_run(&operator(&scene)).expect(200).json()), [3, 0, 0]);
    // The operator took it over, and is done.
    assert_eq!((guard_run(&other).status, leases(&scene)), (200, 0));
}

fn the_operator_takes_precedence(host: Driver) {
    let scene = failing(host);
    lease(&scene, Some("acme"));
    let run = guard_run(&operator(&scene)).expect(200).json();
    assert_eq!(run["acted"][0]["version"], "2.0.0");

    // Two runs of the operator are never under way, and owners do not wait for them.
    lease(&scene, None);
    let _ = guard_run(&operator(&scene)).expect(409);
    let _ = guard_run(&scene.acme).expect(200);
}
