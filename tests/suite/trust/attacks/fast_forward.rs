//! Numbers so high that nothing can follow.

use spindrift_tests::trust::key::{RootKeys, Signers};
use spindrift_tests::trust::repository::{TARGETS, TestRepository};
use spindrift_tests::trust::role::TestTarget;

use super::super::{OLDER, days_ago, package};
use super::{Scene, with_channel};

/// The largest number that JSON readers can tell from its neighbours.
const LARGEST: u64 = (1 << 53) - 1;
const CHANNEL: &str = "channel-stable";

/// The next version of a role is the last one.
fn forwarded(role: &str, good: &TestRepository) -> TestRepository {
    let mut hostile = good.clone();
    hostile.pretend(role, LARGEST - 1);
    match role {
        "timestamp" => hostile.write_timestamp(days_ago(1)),
        "snapshot" => hostile.commit(days_ago(1)),
        list => {
            hostile.write_list(list, days_ago(1));
            hostile.commit(days_ago(1));
        }
    }
    assert_eq!(hostile.version(role), LARGEST);
    hostile
}

/// Other online and targets keys, the same root keys.
fn other_keys(good: &TestRepository) -> RootKeys {
    RootKeys { root: good.keys.root.clone(), ..RootKeys::generation(2) }
}

/// A client that has seen the high number is stuck with it until the keys change. `targets`: those that the rotation brings besides
/// the online key.
fn stuck_until_rotation(role: &str, reasons: [&str; 3]) {
    let (good, nightly, stable) = with_channel(2);
    let scene = Scene::of(&good, &[&nightly, &stable]);
    scene.show(&forwarded(role, &good));
    scene.known_get(&[&nightly, &stable]);

    let next = package("stable", "1.1.0");
    let mut repaired = good.clone();
    repaired.publish([next.clone()], days_ago(0));
    scene.show(&repaired);
    scene.known_refuse(&next, reasons);
    scene.fresh_get(&[&next]);

    let mut rotated = repaired.clone();
    rotated.write_root(other_keys(&good), days_ago(0));
    rotated.write_list(TARGETS, days_ago(0));
    rotated.commit(days_ago(0));
    scene.show(&rotated);
    scene.all_get(&[&nightly, &stable, &next]);
    go_on(&scene, rotated, &[&nightly, &stable, &next]);
}

/// After the rotation everything is as before.
fn go_on(scene: &Scene, mut repository: TestRepository, known: &[&TestTarget]) {
    let newer = package("stable", "1.2.0");
    repository.publish([newer.clone()], days_ago(0));
    scene.show(&repository);
    scene.all_get(known);
    scene.all_get(&[&newer]);
}

#[test]
fn of_the_timestamp() {
    stuck_until_rotation("timestamp", OLDER);
}

#[test]
fn of_the_snapshot() {
    stuck_until_rotation("snapshot", ["Snapshot version", "BadVersionNumberError", "BadVersionError"]);
}

#[test]
fn of_the_list() {
    stuck_until_rotation(
        TARGETS,
        ["Role targets.json version", "BadVersionNumberError", "of targets.json is less than"],
    );
}

#[test]
fn of_the_list_of_a_channel() {
    stuck_until_rotation(
        CHANNEL,
        ["Role channel-stable.json version", "BadVersionNumberError", "of channel-stable.json is less than"],
    );
}

/// The snapshot remembers the number of the list, and its key has not changed.
#[test]
fn new_signers_of_the_list_are_not_enough() {
    let (good, _, stable) = with_channel(2);
    let scene = Scene::of(&good, &[&stable]);
    scene.show(&forwarded(TARGETS, &good));
    scene.known_get(&[&stable]);
    let mut rotated = good.clone();
    rotated.write_root(RootKeys { targets: Signers::one_of([99]), ..good.keys.clone() }, days_ago(0));
    rotated.write_list(TARGETS, days_ago(0));
    rotated.commit(days_ago(0));
    scene.show(&rotated);
    scene.known_refuse(
        &stable,
        ["Role targets.json version", "BadVersionNumberError", "of targets.json is less than"],
    );
    scene.fresh_get(&[&stable]);
}
