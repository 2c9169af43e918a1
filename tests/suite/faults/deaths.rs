//! Every other call is killed at each of its writes: before it, everything is as it was, or as after the call; and the
//! same call ends what was begun. The audit log has an entry exactly where something has changed.

use spindrift_tests::{Account, Driver, World, on_hosts};
use spindrift_web::KeyValue as _;

use super::calls::{KINDS, Kind, Scene};
use super::visible;

on_hosts! {
    every: [],
    in_process: [every_write_of_every_call],
}

/// More writes than any of these calls has.
const MAX_WRITES: u64 = 60;

fn every_write_of_every_call(host: Driver) {
    let world = World::builder(host).with_variable("device_hash_key", "a key of the tests").start();
    let scene = Scene::new(world.client().clone(), world.admin("acme"));
    // A beacon is answered before anything is written.
    for (number, kind) in KINDS.iter().filter(|kind| kind.name != "beacon").enumerate() {
        let deaths = (0..MAX_WRITES).take_while(|at| dies(&world, &scene, kind, (number, *at))).count();
        println!("{}: {deaths} writes", kind.name);
        assert!((1..MAX_WRITES).contains(&u64::try_from(deaths).unwrap()), "{}: {deaths}", kind.name);
    }
}

/// Kills the call at one of its writes. `false`: it has fewer.
fn dies(world: &World, scene: &Scene, kind: &Kind, (number, at): (usize, u64)) -> bool {
    let call = (kind.prepare)(scene, &format!("{number}-{at}"));
    let before = visible(&scene.acme);
    let entries = entries_of(&scene.acme);
    let what = format!("{} at write {at}", kind.name);

    let platform = world.platform();
    platform.die_after(at);
    let answer = call().unwrap();
    // The work after the answer, such as counting a device, ends with the connection.
    let is_dead = platform.revive();
    let status = answer.status;
    assert!(
        kind.ends.contains(&status) || (is_dead && matches!(status, 500 | 502 | 503)),
        "{what}: {status}"
    );

    let died = visible(&scene.acme);
    let added = if kind.is_audited() { i64::from(died != before) } else { 0 };
    assert_eq!(entries_of(&scene.acme) - entries, added, "{what}: entries of the audit log");
    assert_offers_the_published_release(world, scene, &what);
    // As if so much time had passed that the killed process counts as dead.
    let _ended = world.database().execute("DELETE FROM leases", []).unwrap();
    let again = call().unwrap();
    assert!(kind.ends.contains(&again.status), "{what}, again: {} {}", again.status, again.text());
    let after = visible(&scene.acme);
    assert!(died == before || died == after, "{what} left\n{died:?}\nbefore\n{before:?}\nafter\n{after:?}");
    assert_offers_the_published_release(world, scene, &what);
    is_dead
}

fn entries_of(acme: &Account) -> i64 {
    acme.get("/audit/head").ok()["seq"].as_i64().unwrap()
}

/// As soon as kept records are compared, a check knows the published releases.
fn assert_offers_the_published_release(world: &World, scene: &Scene, what: &str) {
    for key in world.platform().stored_keys().iter().filter(|key| key.starts_with("scope.")) {
        world.platform().delete(key).unwrap();
    }
    // A process that dies remembers nothing.
    world.advance(1);
    let is_published = scene.acme.release("1.0.0").published;
    let answer = world.get(&scene.acme.check_path("0.1")).send().expect(200).json();
    assert_eq!(answer["update_available"] == true, is_published, "{what}: {answer}");
}
