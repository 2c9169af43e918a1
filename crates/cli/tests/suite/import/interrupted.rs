//! Runs that were cut, and large files.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use super::old::{self, Content, Downloads, Old};
use super::wire_server::Said;
use super::{ada, import, imported, releases, told};
use crate::shell::{Done, Shell};

on_hosts! {
    every: [
        a_run_that_was_cut_goes_on,
        a_killed_run_goes_on,
        an_answer_that_fails_once_is_asked_for_again,
        a_missing_file_does_not_stop_the_others,
        a_large_file_needs_little_memory,
    ],
}

/// Where the fixtures' releases lie in the old storage.
const LINUX: &str = "/releases/notes-ada/stable/linux/amd64";
/// Length of a large file, in bytes.
const LARGE: usize = 256 * 1024 * 1024;
/// Most memory of the program that reads it, in KiB. The program itself takes most of that.
const MOST_KIB: u64 = 96 * 1024;

fn failing() -> Said {
    Said::Whole(500, String::new(), b"{\"error\":\"the database is away\"}".to_vec())
}

fn times(old: &Old, path: &str) -> usize {
    old.stored_asked().iter().filter(|asked| asked.path == path).count()
}

fn a_run_that_was_cut_goes_on(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), Old::recorded());
    let (first, second) = (&format!("{LINUX}/notes-1.0.0.deb"), &format!("{LINUX}/notes-1.1.0.deb"));
    old.store(second, Some(failing()));
    let error = import(&shell, &old, &["--json"]).error(7).to_owned();
    assert!(error.contains("notes-1.1.0.deb") && error.contains("goes on where it stopped"), "{error}");
    assert_eq!(releases(&world).len(), 2, "what was created stays");
    assert_eq!(times(&old, first), 1);

    old.store(second, None);
    let items = imported(&shell, &old, &[]);

    let told = told(&items);
    assert!(told.contains(&("files", "notes 1.0.0 linux/amd64 (manual)", "same")), "{told:?}");
    assert!(told.contains(&("files", "notes 1.1.0 linux/amd64 (manual)", "created")), "{told:?}");
    assert_eq!(releases(&world).len(), 5);
    assert_eq!(times(&old, first), 2, "only its length was looked at");
}

/// A running import of one release, whose file is about to end, and what lets it end.
fn held(shell: &Shell, old: &Old, length: usize) -> (Child, Sender<()>) {
    let (let_go, until) = channel();
    old.store(&format!("{LINUX}/notes-2.0.0.deb"), Some(Said::Held(length, Arc::new(Mutex::new(until)))));
    let mut command = shell.command(&["import", "faynosync", "--from", old.url(), "--username", "ada"]);
    let command = command.env("SPINDRIFT_IMPORT_PASSWORD", old::PASSWORD);
    (command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap(), let_go)
}

fn two_releases() -> Old {
    let link = |version: &str| format!("http://storage{LINUX}/notes-{version}.deb");
    let releases =
        json!([old::release(2, "2.0.0", &link("2.0.0")), old::release(1, "1.0.0", &link("1.0.0"))]);
    Old::start(Content::of_notes(releases), Downloads::Open)
}

fn a_killed_run_goes_on(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), two_releases());
    let (mut child, let_go) = held(&shell, &old, 1000);
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let told: Vec<String> = lines.take_while(|line| !line.starts_with("created files notes 1.0.0")).collect();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was still running: {told:?}");
    drop(let_go);

    old.store(&format!("{LINUX}/notes-2.0.0.deb"), None);
    let items = imported(&shell, &old, &[]);
    assert_eq!(items.iter().filter(|item| item["outcome"] == "created").count(), 1, "{items:?}");
    assert_eq!(releases(&world).len(), 2);
}

fn an_answer_that_fails_once_is_asked_for_again(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), Old::recorded());
    old.say("/search", Some(failing()));
    assert!(import(&shell, &old, &[]).error(7).contains("500 (the database is away)"));
    old.say("/search", None);
    old.say_once("/search", failing());
    let retrying = ["--from", old.url(), "--username", "ada", "--retries", "1", "--retry-pause", "0"];
    let mut command = shell.command(&[&["import", "faynosync"], &retrying[..]].concat());
    let done = Done::from(command.env("SPINDRIFT_IMPORT_PASSWORD", old::PASSWORD).output().unwrap());
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stderr.matches("trying again in 0 s").count(), 1, "{done:?}");
    assert_eq!(releases(&world).len(), 5);
}

fn a_missing_file_does_not_stop_the_others(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), Old::recorded());
    let none = Said::Whole(404, String::new(), Vec::new());
    old.store(&format!("{LINUX}/notes-1.0.0.deb"), Some(none));
    let done = import(&shell, &old, &["--json"]);
    assert_eq!(done.code, Some(6), "{done:?}");
    let items = super::items(&done);
    let lost: Vec<&Value> = items.iter().filter(|item| item["outcome"] == "refused").collect();
    assert_eq!(lost.len(), 1, "{lost:?}");
    assert!(lost[0]["why"].as_str().unwrap().ends_with("notes-1.0.0.deb answers 404"), "{lost:?}");
    assert_eq!(releases(&world).len(), 5);
}

/// The file has arrived but for its last byte when the memory is looked at.
fn a_large_file_needs_little_memory(driver: Driver) {
    if !cfg!(target_os = "linux") {
        println!("skipped: needs /proc");
        return;
    }
    let world = World::new(driver);
    let (shell, old) = (ada(&world), two_releases());
    let (mut child, let_go) = held(&shell, &old, LARGE);
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let reader = std::thread::spawn(move || lines.collect::<Vec<String>>());
    let part_is_long = || {
        let folders = shell.config().join("imports").read_dir().ok()?.flatten();
        let files = folders.flat_map(|folder| folder.path().read_dir().into_iter().flatten().flatten());
        files
            .map(|file| file.metadata().map_or(0, |metadata| metadata.len()))
            .find(|length| *length + 1 == LARGE as u64)
    };
    let limit = std::time::Duration::from_mins(1);
    spindrift_tests::until("all but the last byte", limit, part_is_long);
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().trim();
    let peak: u64 = peak.strip_suffix(" kB").unwrap().parse().unwrap();
    assert!(peak < MOST_KIB, "{peak} KiB");

    drop(let_go);
    let told = reader.join().unwrap();
    assert!(child.wait().unwrap().success(), "{told:?}");
    assert_eq!(releases(&world).len(), 2);
}
