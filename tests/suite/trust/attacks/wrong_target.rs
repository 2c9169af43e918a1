//! A signed file in place of another one.

use spindrift_tests::trust::role::TestTarget;

use super::super::{APP, OWNER, custom, days_ago, package, repository};
use super::Scene;

/// Another file with a length and a name of its own.
fn other(channel: &str, arch: &str, file: &str) -> TestTarget {
    let key = format!("{OWNER}/{APP}/{channel}/windows/{arch}/{file}");
    TestTarget::new(&key, key.as_bytes(), custom(channel, "1.0.0"))
}

#[test]
fn another_file_of_the_same_repository() {
    let target = other("stable", "amd64", "notes-1.0.0.zip");
    let others = [
        other("stable", "arm64", "notes-1.0.0.zip"),
        other("nightly", "amd64", "notes-1.0.0.zip"),
        other("stable", "amd64", "notes-1.0.0.msi"),
        other("stable", "amd64", "notes-0.9.0.zip"),
    ];
    let mut good = repository(1, &target);
    good.publish(others.clone(), days_ago(1));
    let listed: Vec<_> = [&target].into_iter().chain(&others).collect();
    let scene = Scene::of(&good, &listed);
    for wrong in &others {
        let mut hostile = good.clone();
        let _right = hostile.files.insert(target.name.clone(), wrong.bytes.clone());
        scene.show(&hostile);
        let reasons = if wrong.bytes.len() > target.bytes.len() {
            ["Maximum size", "DownloadLengthMismatchError", "DownloadLengthMismatchError"]
        } else {
            ["Hash mismatch", "LengthOrHashMismatchError", "LengthOrHashMismatchError"]
        };
        scene.all_refuse(&target, reasons);
    }
}

#[test]
fn swapped_links() {
    let (one, two) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut good = repository(1, &one);
    good.publish([two.clone()], days_ago(1));
    let scene = Scene::of(&good, &[&one, &two]);
    scene.places.links(&one, &two);
    scene.places.links(&two, &one);
    let mut apps = scene.known;
    apps.extend(super::installations(&scene.places, &scene.root));
    // The bucket has no links.
    apps.retain(|(place, _)| place.name == "service");
    let reasons = ["Hash mismatch", "LengthOrHashMismatchError", "LengthOrHashMismatchError"];
    for target in [&one, &two] {
        super::refuse(&apps, target, reasons);
    }
}
