//! Metadata that is older than what a client knows. The mirror has all that was ever signed; in the last two cases it has
//! the online key as well.

use spindrift_tests::trust::place::Place;
use spindrift_tests::trust::repository::{TARGETS, TIMESTAMP_DAYS, TestRepository};
use spindrift_tests::trust::role::TestTarget;

use super::super::{Installation, OLDER, days_ago, package, repository};
use super::{Scene, refuse, with_channel};

/// A repository with an old package, the same with a new one besides, and installations that have seen the latter.
fn two_days() -> (TestRepository, TestRepository, Scene, [TestTarget; 2]) {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let yesterday = repository(2, &old);
    let mut today = yesterday.clone();
    today.publish([new.clone()], days_ago(1));
    let scene = Scene::of(&today, &[&old, &new]);
    (yesterday, today, scene, [old, new])
}

#[test]
fn everything_of_yesterday() {
    let (yesterday, _, scene, [old, _]) = two_days();
    scene.show(&yesterday);
    scene.known_refuse(&old, OLDER);
    // A new installation cannot know, as long as the timestamp is good.
    scene.fresh_get(&[&old]);
}

#[test]
fn an_old_timestamp() {
    let (yesterday, mut today, scene, [old, new]) = two_days();
    let _newer =
        today.metadata.insert("timestamp.json".to_owned(), yesterday.metadata["timestamp.json"].clone());
    scene.show(&today);
    scene.known_refuse(&new, OLDER);
    scene.fresh_get(&[&old]);
}

#[test]
fn an_old_timestamp_is_good_until_it_expires() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut today = repository(TIMESTAMP_DAYS + 1, &old);
    let before = today.clone();
    today.publish([new.clone()], days_ago(1));
    let scene = Scene::of(&today, &[&new]);
    scene.show(&before);
    scene.known_refuse(&old, OLDER);
    scene.fresh_refuse(
        &old,
        ["timestamp metadata is expired", "ExpiredMetadataError", "ExpiredMetadataError"],
    );
}

#[test]
fn an_old_snapshot_under_a_new_timestamp() {
    let (yesterday, mut today, scene, [old, _]) = two_days();
    today.pretend("snapshot", yesterday.version("snapshot"));
    today.write_timestamp(days_ago(0));
    scene.show(&today);
    scene.known_refuse(&old, ["Snapshot version", "BadVersionNumberError", "BadVersionError"]);
    scene.fresh_get(&[&old]);
}

#[test]
fn an_old_list_in_a_new_snapshot() {
    let (yesterday, mut today, scene, [old, _]) = two_days();
    today.pretend(TARGETS, yesterday.version(TARGETS));
    today.commit(days_ago(0));
    scene.show(&today);
    scene.known_refuse(
        &old,
        ["Role targets.json version", "BadVersionNumberError", "of targets.json is less than"],
    );
    scene.fresh_get(&[&old]);
}

#[test]
fn an_old_list_of_a_channel_in_a_new_snapshot() {
    let role = "channel-stable";
    let (mut repository, nightly, stable) = with_channel(2);
    let before = repository.version(role);
    repository.publish([package("stable", "1.1.0")], days_ago(1));
    let scene = Scene::of(&repository, &[&nightly, &stable]);
    repository.pretend(role, before);
    repository.commit(days_ago(0));
    scene.show(&repository);
    scene.known_refuse(
        &stable,
        ["Role channel-stable.json version", "BadVersionNumberError", "of channel-stable.json is less than"],
    );
    scene.fresh_get(&[&stable]);
}

/// An installation remembers its state after a refusal.
#[test]
fn a_refusal_changes_nothing() {
    let (yesterday, today, scene, [old, new]) = two_days();
    scene.show(&yesterday);
    scene.known_refuse(&old, OLDER);
    scene.known_refuse(&old, OLDER);
    scene.show(&today);
    scene.known_get(&[&old, &new]);
}

/// A root that an installation has left behind does not come back: nobody asks for it.
#[test]
fn an_old_root() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let yesterday = repository(3, &old);
    let mut today = yesterday.clone();
    let next = spindrift_tests::trust::key::RootKeys::generation(2);
    today.write_root(next, days_ago(2));
    today.publish([new.clone()], days_ago(1));
    let scene = Scene::built_with(&today, yesterday.root());
    scene.known_get(&[&new]);
    scene.show(&yesterday);
    scene.known_refuse(&old, super::UNSIGNED);
    let fresh: Vec<(Place, Installation)> = super::installations(&scene.places, today.root());
    refuse(&fresh, &old, super::UNSIGNED);
}
