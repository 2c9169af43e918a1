//! Answers that come one byte after another.

use std::time::{Duration, Instant};

use spindrift_tests::trust::client::clients_and_library;
use spindrift_tests::trust::place::{Answer, Places};
use spindrift_tests::trust::repository::TARGETS;
use spindrift_tests::trust::role::TestTarget;

use super::super::{Installation, days_ago, gets, package, refuses, repository};

/// The time for one answer here. The clients' own limits are in the documentation.
const LIMIT: Duration = Duration::from_secs(1);
/// Less than any client waits for the next byte, so that only the limit of the whole answer ends it.
const PAUSE: Duration = Duration::from_millis(250);
/// Until when an attempt with one slow answer has to be over.
const OVER: Duration = Duration::from_secs(8);
const TOO_SLOW: [&str; 3] = ["timeout", "SlowRetrievalError", "aborted due to timeout"];

#[test]
fn a_byte_now_and_then() {
    let (old, target) = (package("stable", "1.0.0"), package("stable", "1.1.0"));
    let before = repository(2, &old);
    let mut next = before.clone();
    next.publish([target.clone()], days_ago(1));
    let target = TestTarget { bytes: vec![b'x'; 100], ..target };
    next.publish([target.clone()], days_ago(1));
    let slow = |file: &str| {
        let bytes = next.metadata.get(file).or(next.files.get(file)).cloned();
        Answer::Slow(bytes.unwrap_or_else(|| before.root().to_vec()), PAUSE)
    };
    let files = ["2.root.json".to_owned(), "timestamp.json".to_owned(), next.newest("snapshot")];
    let files = files.into_iter().chain([next.newest(TARGETS), target.name.clone()]);
    let files: Vec<_> = files.map(|file| (slow(&file), file)).collect();
    // Waiting costs nothing, so the clients wait side by side.
    std::thread::scope(|scope| {
        for client in clients_and_library() {
            let (before, next, old, target, files) = (&before, &next, &old, &target, &files);
            scope.spawn(move || {
                let places = Places::of(before);
                let bucket = places.bucket();
                let known = Installation::new(client, before.root()).waits_for(LIMIT);
                gets(&known, &bucket, old);
                for (answer, file) in files {
                    places.show(next);
                    places.answers(file, answer.clone());
                    let fresh = Installation::new(client, before.root()).waits_for(LIMIT);
                    for (app, state) in [(&known, "with state"), (&fresh, "new")] {
                        let started = Instant::now();
                        refuses(app, &bucket, target, TOO_SLOW);
                        let seconds = started.elapsed();
                        println!("{}, {state}, {file}: {seconds:.1?}", client.name());
                        assert!(seconds < OVER, "{seconds:?}");
                    }
                }
                places.show(next);
                gets(&known, &bucket, target);
            });
        }
    });
}
