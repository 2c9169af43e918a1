//! Targets whose files are called what users call files.

use spindrift_tests::trust::client::clients;
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::place::Places;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;

use super::{APP, Installation, OWNER, custom, days_ago, gets, installations};

const FILES: [&str; 9] = [
    "Notes Setup 1.0.0.exe",
    "notes-1.0.0+7.zip",
    "notes@2x.zip",
    "notes#1.zip",
    "nötiz-ä.zip",
    "100%.zip",
    "100%25.zip",
    ".notes.zip",
    "a:b?c&d=[e]!'(*).zip",
];

fn target(file: &str) -> TestTarget {
    let key = format!("electron-builder/{OWNER}/{APP}/1.0.0/stable/windows/amd64/{file}");
    TestTarget::new(&key, file.as_bytes(), custom("stable", "1.0.0"))
}

#[test]
fn any_file_name_downloads() {
    let targets = FILES.map(target);
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(1));
    repository.publish(targets.clone(), days_ago(1));
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        for target in &targets {
            gets(&app, &place, target);
        }
    }
}

#[test]
fn an_application_may_be_called_anything() {
    let key = ".my owner/ä:100% #1/.beta/macOS X/arm64+/.x-1.0.0.zip";
    let target = TestTarget::new(key, b"program", custom(".beta", "1.0.0"));
    let keys = RootKeys::generation(1);
    let mut repository = TestRepository::new(".my owner", "ä:100% #1", keys, days_ago(1));
    repository.publish([target.clone()], days_ago(1));
    let places = Places::of(&repository);
    for (place, app) in installations(&places, repository.root()) {
        gets(&app, &place, &target);
    }
}

#[test]
fn the_digest_stands_before_the_last_segment_or_before_the_whole_name() {
    let target = target("notes.zip");
    let digest = spindrift_tests::sha256_hex(&target.bytes);
    let mut repository = TestRepository::new(OWNER, APP, RootKeys::generation(1), days_ago(1));
    repository.publish([target.clone()], days_ago(1));
    let (folder, file) = target.name.rsplit_once('/').unwrap();
    for client in clients() {
        let places = Places::of(&repository);
        let (service, bucket) = (places.service(), places.bucket());
        let app = Installation::new(client, repository.root());
        gets(&app, &service, &target);
        let asked = match client.name() {
            "tough" => format!("{digest}.{}", target.name),
            _ => format!("{folder}/{digest}.{file}"),
        };
        let path = format!("/tuf/repository/{OWNER}/{APP}/targets/{asked}");
        assert!(places.asked().contains(&path), "{}: {:?}", client.name(), places.asked());

        let before = places.asked().len();
        gets(&app, &bucket, &target);
        let (asked, bare) = (places.asked().split_off(before), format!("/bucket/{}", target.name));
        assert!(asked.contains(&bare) && !asked.iter().any(|path| path.contains(&digest)), "{asked:?}");
    }
}
