//! CI jobs that publish at the same time.

use std::process::Stdio;

use spindrift_tests::{Driver, World, on_hosts};

use super::publisher::{Publisher, publish};
use crate::shell::{Finished, Shell, in_a_day};

/// Jobs at a time.
const JOBS: usize = 4;

on_hosts! {
    every: [jobs_publish_at_once, a_scheduled_release_is_signed_at_once],
}

fn jobs_publish_at_once(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    let (token, key) = (ada.token(), std::fs::read_to_string(ada.key("targets.pem")).unwrap());
    let jobs: Vec<_> = (0..JOBS)
        .map(|job| {
            let (version, file) = (format!("1.{job}.0"), format!("job-{job}/notes.deb"));
            ada.shell.write(&file, format!("program {job}"));
            let mut command = ada.ci(&token, Some(&key), &publish(&version, &[&file]));
            command.env("SPINDRIFT_CONFIG_DIR", ada.shell.path(&format!("config-{job}")));
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for job in jobs {
        let done = Finished::from(job.wait_with_output().unwrap());
        assert_eq!(done.code, Some(0), "{done:?}");
        assert_eq!(done.json()["trust"]["state"], "listed", "{done:?}");
    }
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("1.3.0", JOBS));
}

fn a_scheduled_release_is_signed_at_once(driver: Driver) {
    let world = World::new(driver);
    let ada = Publisher::of_ada(&world);
    let (token, key) = (ada.token(), std::fs::read_to_string(ada.key("targets.pem")).unwrap());
    ada.shell.write("notes.deb", "a program");
    let at = in_a_day();
    let words = Shell::publish("1.0.0", &["--tuf", "--at", &at, "notes.deb"]);
    let done = Finished::from(ada.ci(&token, Some(&key), &words).output().unwrap());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.starts_with("notes 1.0.0 uploaded, and offered from 2"), "{done:?}");
    assert!(done.stdout.contains(", which names the version from now on\n"), "{done:?}");
    assert_eq!((ada.offered_version().as_str(), ada.verified_files()), ("", 1));
    ada.shell.ok(&["release", "publish", "1.0.0", "--app", "notes"]);
    assert_eq!(ada.offered_version(), "1.0.0", "it needs no other signature");
}
