//! Answers that do not end, or end elsewhere than they say.

use std::time::Instant;

use spindrift_tests::trust::place::{Answer, Place, Places};
use spindrift_tests::trust::repository::{TARGETS, TestRepository};

use super::super::{Installation, days_ago, gets, package, refuses, repository};
use super::Scene;

/// More than any client reads, buffers of connections included.
const LIMIT_BYTES: u64 = 24 << 20;
const GIB: u64 = 1 << 30;
const TOO_LONG: [&str; 3] = ["Maximum size", "DownloadLengthMismatchError", "Max length reached"];
const BROKEN_OFF: [&str; 3] = ["Peer disconnected", "IncompleteRead", "terminated"];
const NO_JSON: [&str; 3] = ["EOF while parsing", "DeserializationError", "SyntaxError"];
const OTHER_BYTES: [&str; 3] = ["Hash mismatch", "LengthOrHashMismatchError", "Expected length"];

/// The files that a refresh asks for, in their order: the next root, timestamp, snapshot, list, target.
fn asked(next: &TestRepository, target: &str) -> [String; 5] {
    let root = format!("{}.root.json", next.version("root") + 1);
    [root, "timestamp.json".to_owned(), next.newest("snapshot"), next.newest(TARGETS), target.to_owned()]
}

/// Installations at the bucket that have seen the repository of the day before, and new ones.
fn apps(scene: Scene) -> (Places, Vec<(Place, Installation, &'static str)>) {
    let fresh = scene.fresh();
    let all = scene.known.into_iter().map(|(place, app)| (place, app, "with state"));
    let all = all.chain(fresh.into_iter().map(|(place, app)| (place, app, "new")));
    (scene.places, all.filter(|(place, ..)| place.name == "bucket").collect())
}

#[test]
fn a_body_without_an_end() {
    let (old, target) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut next = repository(2, &old);
    let (places, apps) = apps(Scene::of(&next, &[&old]));
    next.publish([target.clone()], days_ago(1));
    for file in asked(&next, &target.name) {
        for answer in [Answer::EndlessAnnounced(GIB), Answer::Endless] {
            places.show(&next);
            places.answers(&file, answer.clone());
            for (place, app, state) in &apps {
                let (before, started) = (places.endless_bytes(), Instant::now());
                refuses(app, place, &target, TOO_LONG);
                let seconds = started.elapsed().as_secs_f32();
                let bytes = places.endless_bytes() - before;
                println!(
                    "{}, {state}, {answer:?}, {file}: {bytes} bytes, {seconds:.2} s",
                    app.client().name()
                );
                assert!(0 < bytes && bytes < LIMIT_BYTES && seconds < 10.0, "{bytes} bytes, {seconds} s");
            }
        }
    }
    places.show(&next);
    for (place, app, _) in &apps {
        gets(app, place, &target);
    }
}

#[test]
fn a_body_of_another_length() {
    let (old, target) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let mut next = repository(2, &old);
    let (places, apps) = apps(Scene::of(&next, &[&old]));
    next.publish([target.clone()], days_ago(1));
    for file in &asked(&next, &target.name)[1..] {
        let bytes = next.metadata.get(file).unwrap_or(&target.bytes);
        for (sent, announced) in [(bytes.len(), bytes.len() + 1), (bytes.len() - 1, bytes.len() - 1)] {
            places.show(&next);
            places.answers(file, Answer::Announced(bytes[..sent].to_vec(), announced as u64));
            let reasons = match file.as_str() {
                _ if sent < announced => BROKEN_OFF,
                "timestamp.json" => NO_JSON,
                _ => OTHER_BYTES,
            };
            for (place, app, _) in &apps {
                refuses(app, place, &target, reasons);
            }
        }
    }
    places.show(&next);
    for (place, app, _) in &apps {
        gets(app, place, &target);
    }
}
