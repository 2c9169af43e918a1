//! A signed file in place of another one.

use spindrift_tests::trust::role::TestTarget;

use super::super::{APP, OWNER, custom, days_ago, package, repository};
use super::Scene;

/// A file of the repository.
fn file(channel: &str, arch: &str, version: &str, package: &str) -> TestTarget {
    let key = format!("{OWNER}/{APP}/{channel}/windows/{arch}/{APP}-{version}.{package}");
    let mut custom = custom(channel, version);
    custom["arch"] = arch.into();
    custom["package"] = package.into();
    TestTarget::new(&key, key.as_bytes(), custom)
}

#[test]
fn another_file_of_the_same_repository() {
    let target = file("stable", "amd64", "1.0.0", "zip");
    let others = [
        file("stable", "arm64", "1.0.0", "zip"),
        file("nightly", "amd64", "1.0.0", "zip"),
        file("stable", "amd64", "1.0.0", "msi"),
        file("stable", "amd64", "0.9.0", "zip"),
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
