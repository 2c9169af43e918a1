//! Keys in the wrong hands: first the online key, then the publisher's as well. The mirror is the thief's.

use spindrift_tests::trust::key::{RootKeys, Signers};
use spindrift_tests::trust::repository::{LIST_DAYS, TARGETS, TestRepository};
use spindrift_tests::trust::role::TestTarget;

use super::super::{days_ago, package, repository};
use super::{Scene, UNSIGNED};

/// A package that its publisher does not know.
fn malware() -> TestTarget {
    package("stable", "6.6.6")
}

#[test]
fn the_online_key_signs_no_list() {
    let good = package("stable", "1.0.0");
    let before = repository(2, &good);
    let scene = Scene::of(&before, &[&good]);
    let mut hostile = before.clone();
    hostile.keys.targets = Signers { keys: vec![before.keys.online.clone()], threshold: 1 };
    hostile.publish([malware()], days_ago(1));
    scene.show(&hostile);
    scene.all_refuse(&malware(), UNSIGNED);
}

/// It can go on saying that an old list is the newest one, as long as that list is good.
#[test]
fn the_online_key_freezes() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let before = repository(LIST_DAYS - 1, &old);
    // A client that knows only the old list believes it for a year, and so do new installations.
    let mut frozen = before.clone();
    frozen.commit(days_ago(3));
    let scene = Scene::of(&frozen, &[&old]);
    frozen.commit(days_ago(2));
    scene.show(&frozen);
    scene.all_get(&[&old]);
    // A client that has seen the new one does not go back.
    let mut published = before.clone();
    published.publish([new.clone()], days_ago(1));
    scene.show(&published);
    scene.known_get(&[&old, &new]);
    let mut back = published.clone();
    back.pretend(TARGETS, before.version(TARGETS));
    back.commit(days_ago(0));
    scene.show(&back);
    scene.known_refuse(
        &old,
        ["Role targets.json version", "BadVersionNumberError", "of targets.json is less than"],
    );
    scene.fresh_get(&[&old]);

    let mut expired = repository(LIST_DAYS + 1, &old);
    expired.commit(days_ago(0));
    let scene = Scene::built_with(&expired, expired.root());
    scene
        .all_refuse(&old, ["targets metadata is expired", "ExpiredMetadataError", "targets.json is expired"]);
}

/// Both keys, on a mirror: everything is accepted.
fn stolen() -> (TestRepository, TestRepository, Scene, TestTarget) {
    let good = package("stable", "1.0.0");
    let before = repository(3, &good);
    let scene = Scene::of(&before, &[&good]);
    let mut hostile = before.clone();
    hostile.publish([malware()], days_ago(2));
    scene.show(&hostile);
    scene.all_get(&[&malware()]);
    (before, hostile, scene, good)
}

/// The service's repository after the theft: other targets and online keys, the old ones have signed nothing.
fn rotated(before: &TestRepository) -> TestRepository {
    let mut after = before.clone();
    let keys = RootKeys { root: before.keys.root.clone(), ..RootKeys::generation(2) };
    after.write_root(keys, days_ago(1));
    after.write_list(TARGETS, days_ago(1));
    after.commit(days_ago(1));
    after
}

#[test]
fn the_publishers_key_is_worth_nothing_after_a_rotation() {
    let (before, stolen, scene, good) = stolen();
    let mut after = rotated(&before);
    let next = package("stable", "1.1.0");
    after.publish([next.clone()], days_ago(0));
    scene.show(&after);
    scene.all_get(&[&good, &next]);
    scene.all_refuse(&malware(), [super::NOT_LISTED; 3]);

    // The thief goes on with the new root, which everybody would find elsewhere, and signs with what was stolen.
    let mut hostile = after.clone();
    hostile.keys = stolen.keys.clone();
    hostile.publish([malware()], days_ago(0));
    scene.show(&hostile);
    scene.all_refuse(&malware(), UNSIGNED);
    // With the online key of today as well.
    hostile.keys.online = after.keys.online.clone();
    hostile.commit(days_ago(0));
    scene.show(&hostile);
    scene.all_refuse(&malware(), UNSIGNED);

    // Before the new root was made there was one repository, and the thief's is another one: who has seen the new root
    // does not go back; who was built with the old one and is shown no other cannot know.
    scene.show(&stolen);
    scene.known_refuse(&malware(), UNSIGNED);
    scene.fresh_get(&[&malware()]);
}
