//! Files that nobody signed.

use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::repository::TARGETS;

use super::super::{days_ago, package, repository};
use super::{Scene, UNSIGNED, with_channel};

#[test]
fn a_target_with_one_changed_byte() {
    let target = package("stable", "1.0.0");
    let mut hostile = repository(1, &target);
    let scene = Scene::of(&hostile, &[&target]);
    hostile.files.get_mut(&target.name).unwrap()[0] ^= 1;
    scene.show(&hostile);
    scene.all_refuse(&target, ["Hash mismatch", "LengthOrHashMismatchError", "LengthOrHashMismatchError"]);
}

#[test]
fn a_target_with_one_byte_more() {
    let target = package("stable", "1.0.0");
    let mut hostile = repository(1, &target);
    let scene = Scene::of(&hostile, &[&target]);
    hostile.files.get_mut(&target.name).unwrap().push(b'!');
    scene.show(&hostile);
    scene.all_refuse(&target, ["Maximum size", "DownloadLengthMismatchError", "DownloadLengthMismatchError"]);
}

/// Nobody, the online key, a stranger.
fn strangers(online: &TestKey) -> [Vec<TestKey>; 3] {
    [vec![], vec![online.clone()], vec![TestKey::from_seed(250)]]
}

#[test]
fn a_list_that_its_signers_did_not_sign() {
    let target = package("stable", "1.0.0");
    let before = repository(2, &target);
    for signers in strangers(&before.keys.online) {
        let scene = Scene::of(&before, &[&target]);
        let mut hostile = before.clone();
        hostile.write_list_by(TARGETS, &signers, days_ago(1));
        hostile.commit(days_ago(1));
        scene.show(&hostile);
        scene.all_refuse(&target, UNSIGNED);
        hostile.write_list(TARGETS, days_ago(0));
        hostile.commit(days_ago(0));
        scene.show(&hostile);
        scene.all_get(&[&target]);
    }
}

/// Not even by those who sign the list of all.
#[test]
fn a_list_of_a_channel_that_its_signers_did_not_sign() {
    let (before, nightly, stable) = with_channel(2);
    let others = strangers(&before.keys.online).into_iter().chain([before.keys.targets.keys.clone()]);
    for signers in others {
        let scene = Scene::of(&before, &[&nightly, &stable]);
        let mut hostile = before.clone();
        hostile.write_list_by("channel-stable", &signers, days_ago(1));
        hostile.commit(days_ago(1));
        scene.show(&hostile);
        scene.all_refuse(&stable, UNSIGNED);
        hostile.write_list("channel-stable", days_ago(0));
        hostile.commit(days_ago(0));
        scene.show(&hostile);
        scene.all_get(&[&stable]);
    }
}

/// A snapshot signed by a stranger or by the publisher.
#[test]
fn a_snapshot_that_the_online_key_did_not_sign() {
    let target = package("stable", "1.0.0");
    let before = repository(2, &target);
    for signer in [TestKey::from_seed(250), before.keys.targets.keys[0].clone()] {
        let scene = Scene::of(&before, &[&target]);
        let online = before.keys.online.clone();
        let mut hostile = before.clone();
        hostile.keys.online = signer;
        hostile.commit(days_ago(1));
        hostile.keys.online = online;
        hostile.write_timestamp(days_ago(1));
        scene.show(&hostile);
        scene.all_refuse(&target, UNSIGNED);
    }
}

#[test]
fn a_timestamp_that_the_online_key_did_not_sign() {
    let target = package("stable", "1.0.0");
    let before = repository(2, &target);
    for signer in [TestKey::from_seed(250), before.keys.targets.keys[0].clone()] {
        let scene = Scene::of(&before, &[&target]);
        let mut hostile = before.clone();
        hostile.keys.online = signer;
        hostile.write_timestamp(days_ago(1));
        scene.show(&hostile);
        scene.all_refuse(&target, UNSIGNED);
    }
}
