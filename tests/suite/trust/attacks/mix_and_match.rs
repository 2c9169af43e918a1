//! Files of different times, each rightly signed.

use spindrift_tests::trust::repository::{TARGETS, TestRepository};
use spindrift_tests::trust::role::TestTarget;

use super::super::{days_ago, package};
use super::{Scene, with_channel};

const CHANNEL: &str = "channel-stable";

/// A repository, the same a day later, and installations that have seen the former.
fn two_days() -> (TestRepository, TestRepository, Scene, TestTarget) {
    let (before, nightly, stable) = with_channel(2);
    let scene = Scene::of(&before, &[&nightly, &stable]);
    let mut after = before.clone();
    after.publish([package("nightly", "1.1.0"), package("stable", "1.1.0")], days_ago(1));
    (before, after, scene, stable)
}

/// The newest file of a role is what its file was the day before.
fn of_another_time(role: &str, reasons: [&str; 3]) {
    let (before, after, scene, stable) = two_days();
    let mut hostile = after.clone();
    let old = before.metadata[&before.newest(role)].clone();
    let _new = hostile.metadata.insert(hostile.newest(role), old);
    scene.show(&hostile);
    scene.all_refuse(&stable, reasons);
    scene.show(&after);
    scene.all_get(&[&stable]);
}

#[test]
fn a_snapshot_of_another_time() {
    let reasons =
        ["Hash mismatch", "LengthOrHashMismatchError", "load snapshot metadata error Error: Expected"];
    of_another_time("snapshot", reasons);
}

#[test]
fn a_list_of_another_time() {
    let reasons = ["Hash mismatch", "LengthOrHashMismatchError", "load targets error Error: Expected"];
    of_another_time(TARGETS, reasons);
}

#[test]
fn a_list_of_a_channel_of_another_time() {
    let reasons = ["Hash mismatch", "LengthOrHashMismatchError", "load targets error Error: Expected"];
    of_another_time(CHANNEL, reasons);
}

/// The new timestamp without the rest of its time.
#[test]
fn a_part_of_a_day() {
    for role in ["snapshot", TARGETS, CHANNEL] {
        let (_, after, scene, stable) = two_days();
        let mut hostile = after.clone();
        let _file = hostile.metadata.remove(&after.newest(role)).unwrap();
        scene.show(&hostile);
        scene.all_refuse(&stable, ["not found", "DownloadHTTPError", "Failed to download"]);
        scene.show(&after);
        scene.all_get(&[&stable]);
    }
}
