//! Roots that too few have signed, and other keys and thresholds than the usual ones.

use serde_json::Value;
use spindrift_tests::trust::client::Client;
use spindrift_tests::trust::key::{RootKeys, Signers, TestKey};
use spindrift_tests::trust::repository::{TARGETS, TestRepository};
use spindrift_tests::trust::role::{Channel, TestTarget};
use spindrift_tests::trust::signed::signed_as;

use super::super::{APP, OWNER, days_ago, gets, package, refuses};
use super::{Scene, UNSIGNED};

/// Two of two keys for root and for targets, one of each kind.
fn two_of_two(seed: u8) -> RootKeys {
    let pair = |seed| [TestKey::from_seed(seed), TestKey::p256_from_seed(seed + 1)];
    RootKeys {
        root: Signers::all_of(pair(seed)),
        targets: Signers::all_of(pair(seed + 2)),
        online: TestKey::from_seed(seed + 4),
    }
}

/// A repository whose every signature is needed.
fn guarded() -> (TestRepository, TestTarget) {
    let target = package("stable", "1.0.0");
    let mut repository = TestRepository::new(OWNER, APP, two_of_two(10), days_ago(3));
    repository.publish([target.clone()], days_ago(3));
    (repository, target)
}

#[test]
fn a_root_with_one_of_two_signatures() {
    let (before, target) = guarded();
    let scene = Scene::of(&before, &[&target]);
    let next = two_of_two(20);
    let all: Vec<_> = before.keys.root.keys.iter().chain(&next.root.keys).cloned().collect();
    for missing in 0..all.len() {
        let mut signers = all.clone();
        let _one = signers.remove(missing);
        let mut hostile = before.clone();
        hostile.write_root_by(next.clone(), &signers, days_ago(2));
        hostile.write_list(TARGETS, days_ago(2));
        hostile.commit(days_ago(2));
        scene.show(&hostile);
        scene.all_refuse(&target, UNSIGNED);
    }
    let mut good = before.clone();
    good.write_root_by(next, &all, days_ago(2));
    good.write_list(TARGETS, days_ago(2));
    good.commit(days_ago(2));
    scene.show(&good);
    scene.all_get(&[&target]);
}

#[test]
fn a_root_that_strangers_signed() {
    let (before, target) = guarded();
    let scene = Scene::of(&before, &[&target]);
    let stranger = two_of_two(30);
    let mut hostile = before.clone();
    hostile.write_root_by(stranger.clone(), &stranger.root.keys, days_ago(2));
    hostile.write_list(TARGETS, days_ago(2));
    hostile.commit(days_ago(2));
    scene.show(&hostile);
    scene.all_refuse(&target, UNSIGNED);
}

/// The versions of roots have no gaps.
#[test]
fn a_root_that_skips_a_number() {
    let (before, target) = guarded();
    let scene = Scene::of(&before, &[&target]);
    let mut hostile = before.clone();
    hostile.pretend("root", 2);
    hostile.write_root(two_of_two(20), days_ago(2));
    let third = hostile.metadata.remove("3.root.json").unwrap();
    hostile.put("root", 2, third);
    hostile.write_list(TARGETS, days_ago(2));
    hostile.commit(days_ago(2));
    scene.show(&hostile);
    scene.all_refuse(&target, ["of root metadata", "BadVersionNumberError", "BadVersionError"]);
}

#[test]
fn a_list_with_one_of_two_signatures() {
    let (before, target) = guarded();
    for signer in before.keys.targets.keys.clone() {
        let scene = Scene::of(&before, &[&target]);
        let mut hostile = before.clone();
        hostile.write_list_by(TARGETS, &[signer], days_ago(2));
        hostile.commit(days_ago(2));
        scene.show(&hostile);
        scene.all_refuse(&target, UNSIGNED);
    }
}

#[test]
fn a_channel_of_hardware_keys() {
    let (mut before, nightly) = (guarded().0, package("nightly", "1.0.0"));
    let keys = [TestKey::p256_from_seed(50), TestKey::p256_from_seed(51)];
    before.delegate(Channel { name: "beta".to_owned(), signers: Signers::all_of(keys.clone()) }, days_ago(2));
    let beta = package("beta", "1.0.0");
    before.publish([beta.clone(), nightly.clone()], days_ago(2));
    let scene = Scene::of(&before, &[&beta, &nightly]);
    let mut hostile = before.clone();
    hostile.write_list_by("channel-beta", &keys[..1], days_ago(1));
    hostile.commit(days_ago(1));
    scene.show(&hostile);
    scene.all_refuse(&beta, UNSIGNED);
}

#[test]
fn an_online_key_of_hardware() {
    let target = package("stable", "1.0.0");
    let keys = RootKeys { online: TestKey::p256_from_seed(60), ..RootKeys::generation(1) };
    let mut repository = TestRepository::new(OWNER, APP, keys, days_ago(2));
    repository.publish([target.clone()], days_ago(2));
    let scene = Scene::of(&repository, &[&target]);
    let mut hostile = repository.clone();
    hostile.keys.online = TestKey::p256_from_seed(61);
    hostile.write_timestamp(days_ago(1));
    scene.show(&hostile);
    scene.all_refuse(&target, UNSIGNED);
}

/// The next root: two signatures needed, and the one key there is called by two names.
fn one_key_twice(before: &TestRepository) -> Vec<u8> {
    let mut root: Value = serde_json::from_slice::<Value>(before.root()).unwrap()["signed"].take();
    let key = &before.keys.root.keys[0];
    let other = "0".repeat(64);
    root["version"] = 2.into();
    root["keys"][&other] = key.public();
    root["roles"]["root"] = serde_json::json!({ "keyids": [key.id(), other], "threshold": 2 });
    signed_as(&root, [(key.id(), key), (other, key)])
}

/// Two clients count it twice, so the service must not let it in. tough drops such a root.
#[test]
fn one_key_under_two_names() {
    let target = package("stable", "1.0.0");
    let mut repository = super::super::repository(2, &target);
    let scene = Scene::of(&repository, &[&target]);
    let root = one_key_twice(&repository);
    repository.put("root", 2, root);
    scene.show(&repository);
    for (place, app) in scene.known.iter().chain(&scene.fresh()) {
        match app.client() {
            Client::Tough | Client::ToughFromPinnedRoot | Client::Library => {
                refuses(app, place, &target, ["Invalid key ID", "", ""]);
            }
            Client::PythonTuf(_) | Client::TufJs(_) => gets(app, place, &target),
        }
    }
}
