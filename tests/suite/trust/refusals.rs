//! What a hostile mirror or a thief of one key may try.

use spindrift_tests::trust::key::TestKey;
use spindrift_tests::trust::place::Places;
use spindrift_tests::trust::repository::{TARGETS, TIMESTAMP_DAYS, TestRepository};
use spindrift_tests::trust::role::TestTarget;

use super::{OLDER, days_ago, gets, installations, package, refuses, repository};

/// Nobody gets the target from this repository: neither who has seen the one before, nor who begins with its root.
fn nobody_gets(before: &TestRepository, hostile: &TestRepository, target: &TestTarget, reasons: [&str; 3]) {
    let places = Places::of(before);
    let apps = installations(&places, before.root());
    for (place, app) in &apps {
        gets(app, place, target);
    }
    places.show(hostile);
    for (place, app) in apps.iter().chain(&installations(&places, before.root())) {
        refuses(app, place, target, reasons);
    }
}

#[test]
fn a_target_with_one_changed_byte() {
    let target = package("stable", "1.0.0");
    let before = repository(1, &target);
    let mut hostile = before.clone();
    hostile.files.get_mut(&target.name).unwrap()[0] ^= 1;
    let reasons = ["Hash mismatch", "LengthOrHashMismatchError", "LengthOrHashMismatchError"];
    nobody_gets(&before, &hostile, &target, reasons);
}

#[test]
fn a_target_that_is_too_long() {
    let target = package("stable", "1.0.0");
    let before = repository(1, &target);
    let mut hostile = before.clone();
    hostile.files.get_mut(&target.name).unwrap().push(b'!');
    let reasons = ["Maximum size", "DownloadLengthMismatchError", "DownloadLengthMismatchError"];
    nobody_gets(&before, &hostile, &target, reasons);
}

#[test]
fn a_timestamp_that_has_expired() {
    let target = package("stable", "1.0.0");
    let hostile = repository(TIMESTAMP_DAYS + 1, &target);
    let places = Places::of(&hostile);
    for (place, app) in installations(&places, hostile.root()) {
        refuses(&app, &place, &target, ["expired", "ExpiredMetadataError", "ExpiredMetadataError"]);
    }
}

#[test]
fn a_snapshot_of_another_time() {
    let target = package("stable", "1.0.0");
    let before = repository(2, &target);
    let mut hostile = before.clone();
    hostile.publish([package("stable", "1.1.0")], days_ago(1));
    let old = before.metadata[&before.newest("snapshot")].clone();
    let _new = hostile.metadata.insert(hostile.newest("snapshot"), old);
    let reasons =
        ["Hash mismatch", "LengthOrHashMismatchError", "load snapshot metadata error Error: Expected"];
    nobody_gets(&before, &hostile, &target, reasons);
}

#[test]
fn a_list_of_another_time() {
    let target = package("stable", "1.0.0");
    let before = repository(2, &target);
    let mut hostile = before.clone();
    hostile.publish([package("stable", "1.1.0")], days_ago(1));
    let old = before.metadata[&before.newest(TARGETS)].clone();
    let _new = hostile.metadata.insert(hostile.newest(TARGETS), old);
    let reasons = ["Hash mismatch", "LengthOrHashMismatchError", "load targets error Error: Expected"];
    nobody_gets(&before, &hostile, &target, reasons);
}

#[test]
fn a_list_that_its_signers_did_not_sign() {
    let target = package("stable", "1.0.0");
    let before = repository(2, &target);
    let strangers = [vec![], vec![before.keys.online.clone()], vec![TestKey::from_seed(250)]];
    for signers in strangers {
        let mut hostile = before.clone();
        hostile.write_list_by(TARGETS, &signers, days_ago(1));
        hostile.settle(days_ago(1));
        let reasons = ["Signature threshold", "UnsignedMetadataError", "signed by 0/1 keys"];
        nobody_gets(&before, &hostile, &target, reasons);
    }
}

#[test]
fn an_older_repository_is_refused_by_those_who_know_better() {
    let (old, new) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let yesterday = repository(2, &old);
    let mut today = yesterday.clone();
    today.publish([new.clone()], days_ago(1));
    let places = Places::of(&today);
    let apps = installations(&places, today.root());
    for (place, app) in &apps {
        gets(app, place, &new);
    }
    places.show(&yesterday);
    for (place, app) in &apps {
        refuses(app, place, &old, OLDER);
    }
    // A new installation cannot know, as long as the timestamp is good.
    for (place, app) in installations(&places, yesterday.root()) {
        gets(&app, &place, &old);
    }
}
