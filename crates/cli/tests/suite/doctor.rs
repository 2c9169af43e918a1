//! The findings of `doctor`.

use std::time::Duration;

use spindrift_tests::{Driver, World, on_hosts, until};

use crate::server::{always, nobody, serve_answer};
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [
        nothing_is_wrong,
        a_stopped_storage_is_found,
        missing_secrets_are_found,
        applications_with_silent_copies_are_named,
    ],
}

/// The state and the text of a check.
fn finding_of(done: &Finished, check: &str) -> (String, String) {
    let report = done.json();
    let finding =
        report["checks"].as_array().unwrap().iter().find(|finding| finding["check"] == check).unwrap();
    (finding["state"].as_str().unwrap().to_owned(), finding["text"].as_str().unwrap().to_owned())
}

fn nothing_is_wrong(driver: Driver) {
    let world = World::builder(driver).with_variable("allowed_cors", "https://a.example").start();
    let shell = Shell::of_ada(&world);
    let done = shell.ok(&["doctor", "--app", "notes", "--origin", "https://a.example", "--json"]);
    for check in ["service", "secrets", "login", "upload", "cors"] {
        assert_eq!(finding_of(&done, check).0, "ok", "{done:?}");
    }
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    assert_eq!(finding_of(&shell.ok(&["doctor", "--json"]), "storage").0, "ok");
    let foreign = shell.run(&["doctor", "--origin", "https://b.example", "--json"]);
    assert_eq!((foreign.code, finding_of(&foreign, "cors").0.as_str()), (Some(9), "problem"));
}

fn a_stopped_storage_is_found(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    world.store().stop();
    let done = shell.run(&["doctor", "--app", "notes", "--json"]);
    assert_eq!((done.code, finding_of(&done, "upload").0.as_str()), (Some(9), "problem"), "{done:?}");
    assert_eq!(finding_of(&done, "service").0, "ok");
}

fn missing_secrets_are_found(driver: Driver) {
    let world = World::builder(driver).with_variable("jwt_secret", "short").start();
    let done = Shell::new(&world.url()).run(&["doctor", "--json"]);
    let (state, text) = finding_of(&done, "secrets");
    assert_eq!((done.code, state.as_str()), (Some(9), "problem"));
    assert!(text.contains("jwt_secret"), "{text}");
}

/// Longest time until a device is counted.
const SOON: Duration = Duration::from_secs(20);

fn applications_with_silent_copies_are_named(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let copies = || finding_of(&shell.ok(&["doctor", "--json"]), "copies");
    assert_eq!(copies().0, "ok", "nobody checks yet");

    // Nothing is published, so there is no record that answers without being renewed.
    let check = "/checkVersion?app_name=notes&version=1.0&channel=stable&platform=linux&arch=amd64&owner=ada";
    let _ = world.get(check).send().expect(200);
    let (state, text) = copies();
    assert_eq!(state, "note", "{text}");
    assert!(text.contains("none has sent a device id or a failure report"), "{text}");
    assert!(text.starts_with("notes: ") && text.ends_with(". See docs/kits.md"), "{text}");

    let _ = world.get(check).header("x-device-id", "device").send().expect(200);
    until("the device is counted", SOON, || copies().1.contains(": The guard needs").then_some(()));
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    let job = shell.job(token.trim(), &["doctor", "--json"]);
    assert_eq!((job.code, finding_of(&job, "copies").0.as_str()), (Some(0), "skipped"), "{job:?}");
}

#[test]
fn a_wrong_clock_is_found() {
    let url = always(
        "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2015 00:00:00 GMT\r\nContent-Type: application/json\r\n\
         Content-Length: 20\r\nConnection: close\r\n\r\n{\"status\":\"healthy\"}",
    );
    let done = Shell::new(&url).run(&["doctor", "--json"]);
    let (state, text) = finding_of(&done, "clock");
    assert_eq!((done.code, state.as_str()), (Some(9), "problem"), "{done:?}");
    assert!(text.contains("ahead of the service's") && text.contains("NTP"), "{text}");
}

#[test]
fn a_list_that_fails_is_not_an_empty_list() {
    let url = serve_answer(|request| match request.split(' ').nth(1) {
        Some("/health") => "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"status\":\"healthy\"}",
        Some(path) if path.starts_with("/channel/list") => {
            "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n\
             {\"error\":\"the database is down\",\"code\":\"database_unavailable\"}"
        }
        _ => {
            "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n\
             {\"error\":\"nothing\",\"code\":\"not_found\"}"
        }
    });
    let shell = Shell::new(&url);
    let mut command = shell.command(&["doctor", "--app", "notes", "--json"]);
    let done = Finished::from(command.env("SPINDRIFT_TOKEN", "token").output().unwrap());
    let (state, text) = finding_of(&done, "upload");
    assert_eq!(state, "problem", "{done:?}");
    assert!(text.contains("the database is down"), "{text}");
}

#[test]
fn a_service_that_is_not_there_is_found() {
    let shell = Shell::new(&nobody());
    let mut command = shell.command(&["doctor", "--json"]);
    let done = Finished::from(command.env("PATH", "").output().unwrap());
    assert_eq!((done.code, finding_of(&done, "service").0.as_str()), (Some(9), "problem"), "{done:?}");
    assert_eq!(done.json()["checks"].as_array().unwrap().len(), 1, "nothing else can be known");
}

/// A Spin that cannot load the fast build exits at once, so the service cannot be asked.
#[cfg(unix)]
#[test]
fn a_spin_that_is_too_old_for_the_fast_build_is_named() {
    let shell = Shell::new(&nobody());
    let path = shell.programs(&[("spin", "echo 'spin 4.0.2 (0000000 2026-05-01)'")]);
    let mut command = shell.command(&["doctor", "--json"]);
    let done = Finished::from(command.env("PATH", path).output().unwrap());
    let (state, text) = finding_of(&done, "spin");
    assert_eq!(state, "note", "{done:?}");
    assert!(text.contains("needs Spin 4.1") && text.contains("spin.toml"), "{text}");
}
