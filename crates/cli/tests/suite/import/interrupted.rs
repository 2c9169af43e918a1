//! Interrupted runs, and large files.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use super::old::{self, DownloadMode, OldContent, OldServer};
use super::wire_server::WireAnswer;
use super::{ada, import, imported, item_lines, releases};
use crate::shell::Shell;

on_hosts! {
    every: [
        a_run_that_was_cut_goes_on,
        a_killed_run_goes_on,
        an_answer_that_fails_once_is_asked_for_again,
        a_storage_that_fails_once_is_asked_again,
        a_private_file_goes_on_with_another_address,
        a_missing_file_does_not_stop_the_others,
        a_large_file_needs_little_memory,
    ],
}

/// The folder of the fixtures' releases in the old storage.
const LINUX: &str = "/releases/notes-ada/stable/linux/amd64";
/// The range of a request for the length only.
const LOOK: &str = "bytes=0-0";
/// In bytes.
const LARGE: usize = 256 * 1024 * 1024;
/// Maximum memory of the program while it reads the file, in KiB. The program itself takes most of
/// that.
const MOST_KIB: u64 = 96 * 1024;

fn failing_answer() -> WireAnswer {
    WireAnswer::Whole(500, String::new(), b"{\"error\":\"the database is away\"}".to_vec())
}

/// The answer at an expired address of private storage.
fn ended() -> WireAnswer {
    WireAnswer::Whole(403, String::new(), b"Request has expired".to_vec())
}

/// Whether no downloaded file is left.
fn nothing_waits(shell: &Shell) -> bool {
    !shell.config().join("imports").read_dir().unwrap().any(|_| true)
}

fn a_run_that_was_cut_goes_on(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let (first, second) = (&format!("{LINUX}/notes-1.0.0.deb"), &format!("{LINUX}/notes-1.1.0.deb"));
    old.store(second, Some(failing_answer()));
    let error = import(&shell, &old, &["--json"]).error(7).to_owned();
    assert!(error.contains("notes-1.1.0.deb") && error.contains("run this again to resume"), "{error}");
    assert_eq!(releases(&world).len(), 2, "created items stay");
    assert_eq!(old.read(first), [LOOK, "all"]);

    old.store(second, None);
    let items = imported(&shell, &old, &[]);

    let text = item_lines(&items);
    assert!(text.contains(&("files", "notes 1.0.0 linux/amd64 (manual)", "same")), "{text:?}");
    assert!(text.contains(&("files", "notes 1.1.0 linux/amd64 (manual)", "created")), "{text:?}");
    assert_eq!(releases(&world).len(), 5);
    assert_eq!(old.read(first), [LOOK, "all", LOOK], "only its length was looked at");
}

/// A running import of one release whose file is nearly complete. Dropping the sender completes it.
fn hold_download(shell: &Shell, old: &OldServer, length: usize) -> (Child, Sender<()>) {
    let (let_go, until) = channel();
    old.store(
        &format!("{LINUX}/notes-2.0.0.deb"),
        Some(WireAnswer::Held(length, Arc::new(Mutex::new(until)))),
    );
    let mut command = shell.command(&["import", "faynosync", "--from", old.url(), "--username", "ada"]);
    let command = command.env("SPINDRIFT_IMPORT_PASSWORD", old::PASSWORD);
    (command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap(), let_go)
}

fn two_releases() -> OldServer {
    let link = |version: &str| format!("http://storage{LINUX}/notes-{version}.deb");
    let releases =
        json!([old::release(2, "2.0.0", &link("2.0.0")), old::release(1, "1.0.0", &link("1.0.0"))]);
    OldServer::start(OldContent::of_notes(releases), DownloadMode::Open)
}

fn a_killed_run_goes_on(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), two_releases());
    let (mut child, let_go) = hold_download(&shell, &old, 1000);
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let text: Vec<String> = lines.take_while(|line| !line.starts_with("created files notes 1.0.0")).collect();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was still running: {text:?}");
    drop(let_go);

    old.store(&format!("{LINUX}/notes-2.0.0.deb"), None);
    let items = imported(&shell, &old, &[]);
    assert_eq!(items.iter().filter(|item| item["outcome"] == "created").count(), 1, "{items:?}");
    assert_eq!(releases(&world).len(), 2);
}

fn an_answer_that_fails_once_is_asked_for_again(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    old.set_answer("/search", Some(failing_answer()));
    assert!(import(&shell, &old, &[]).error(7).contains("500 (the database is away)"));
    old.set_answer("/search", None);
    old.say_in_turn("/search", [Some(failing_answer())]);
    let done = import(&shell, &old, &["--retries", "1"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.stderr.matches("trying again in 0 s").count(), 1, "{done:?}");
    assert_eq!(releases(&world).len(), 5);
}

fn a_storage_that_fails_once_is_asked_again(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let squirrel = "/releases/squirrel_windows/notes-ada/1.0.0/stable/windows/amd64/RELEASES";
    let slow = || Some(WireAnswer::Whole(503, String::new(), b"SlowDown".to_vec()));
    let first = format!("{LINUX}/notes-1.0.0.deb");
    old.store_in_turn("/releases/notes-ada/notes-logo.png", [slow()]);
    old.store_in_turn(squirrel, [slow()]);
    old.store_in_turn(&first, [slow(), None, slow()]);
    let done = import(&shell, &old, &["--retries", "1"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(!done.stdout.contains("without its logo"), "{done:?}");

    old.store_in_turn(&first, [slow()]);
    let done = import(&shell, &old, &["--retries", "1"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("answers 503"), "{done:?}");
}

fn a_private_file_goes_on_with_another_address(driver: Driver) {
    let world = World::new(driver);
    let content = OldContent::documented();
    let (shell, old) = (ada(&world), OldServer::start(content, DownloadMode::WithLogin));
    let file = "/private/My Desk-ada/stable/linux/amd64/My Desk-0.0.0.137.deb";
    let cut = || Some(WireAnswer::Cut("My Desk-0.0.0.137.deb".len() as u64, b"My De"));

    // Continue in a later run.
    old.store_in_turn(file, [None, cut(), Some(failing_answer())]);
    import(&shell, &old, &["--app", "My Desk"]).error(7);
    imported(&shell, &old, &["--app", "My Desk"]);
    assert_eq!(old.read(file), [LOOK, "all", "bytes=5-", LOOK, "bytes=5-"]);

    // Continue in the same run, after the first address has expired.
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::start(OldContent::documented(), DownloadMode::WithLogin));
    old.store_in_turn(file, [None, cut(), Some(ended())]);
    imported(&shell, &old, &["--app", "My Desk"]);
    assert_eq!(old.read(file), [LOOK, "all", "bytes=5-", LOOK, "bytes=5-"]);
    assert_eq!(releases(&world).len(), 1);

    // An address that never returns data is not requested forever.
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::start(OldContent::documented(), DownloadMode::WithLogin));
    old.store_in_turn(file, [None, Some(ended())]);
    assert_eq!(import(&shell, &old, &["--app", "My Desk"]).code, Some(6));
    assert_eq!(old.read(file), [LOOK, "all"]);
}

fn a_missing_file_does_not_stop_the_others(driver: Driver) {
    let world = World::new(driver);
    let (shell, old) = (ada(&world), OldServer::documented());
    let none = || Some(WireAnswer::Whole(404, String::new(), Vec::new()));
    old.store(&format!("{LINUX}/notes-1.0.0.deb"), none());
    // The first file of the upload exists on the server, and was read.
    old.store(&format!("{LINUX}/notes-1.1.0.rpm"), none());
    let done = import(&shell, &old, &["--json"]);
    assert_eq!(done.code, Some(6), "{done:?}");
    let items = super::items(&done);
    let lost: Vec<&Value> = items.iter().filter(|item| item["outcome"] == "refused").collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
    assert!(lost[0]["why"].as_str().unwrap().ends_with("notes-1.0.0.deb answers 404"), "{lost:?}");
    assert_eq!(old.read(&format!("{LINUX}/notes-1.1.0.deb")), [LOOK, "all"]);
    assert!(nothing_waits(&shell));
    assert_eq!(releases(&world).len(), 5);
}

/// Memory is measured when all but the last byte of the file has arrived.
fn a_large_file_needs_little_memory(driver: Driver) {
    if !cfg!(target_os = "linux") {
        println!("skipped: needs /proc");
        return;
    }
    let world = World::new(driver);
    let (shell, old) = (ada(&world), two_releases());
    let (mut child, let_go) = hold_download(&shell, &old, LARGE);
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
    let text = reader.join().unwrap();
    assert!(child.wait().unwrap().success(), "{text:?}");
    assert_eq!(releases(&world).len(), 2);
}
