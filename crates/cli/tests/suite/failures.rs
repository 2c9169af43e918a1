//! A failure prints one clear line, sets an exit code, and leaves nothing half done.

use std::process::Stdio;

use spindrift_tests::{Driver, World, on_hosts};

use crate::server::{always, nobody};
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [a_wrong_token, a_job_without_its_secret_or_a_right, a_stopped_storage_publishes_nothing, a_full_disk, refusals_have_clear_errors],
}

#[test]
fn a_service_that_is_down() {
    let shell = Shell::new(&nobody());
    shell.write("notes.deb", "content");
    for arguments in [
        &["login", "--username", "ada"][..],
        &["check", "1.0", "--owner", "ada", "--app", "notes"],
        &["latest", "--owner", "ada", "--app", "notes"],
        &["publish", "--token", "sdt_x", "--app", "notes", "--version", "1.0", "--retries", "0", "notes.deb"],
    ] {
        let done = shell.run(arguments);
        assert!(done.error(7).contains("cannot be reached"), "{done:?}");
    }
}

#[test]
fn a_server_that_is_something_else() {
    let url = always("HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>");
    let done = Shell::new(&url).run(&["login", "--username", "ada"]);
    assert!(done.error(7).contains("does not answer like a Spindrift service"), "{done:?}");
    for wrong in ["two words", "ftp://example.com", "https://"] {
        let done = Shell::new(wrong).run(&["whoami"]);
        assert!(done.error(2).contains("https://updates.example.com"), "{done:?}");
    }
}

fn a_wrong_token(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    for arguments in [&["whoami"][..], &["app", "list"], &Shell::publish("1.0.0", &["notes.deb"])] {
        let mut command = shell.command(arguments);
        let done = Finished::from(command.env("SPINDRIFT_TOKEN", "no.such.token").output().unwrap());
        assert!(done.error(3).contains("SPINDRIFT_TOKEN"), "{done:?}");
        assert!(!done.stderr.contains("no.such.token"));
    }
    let wrong =
        shell.command(&["login", "--username", "ada"]).env("SPINDRIFT_PASSWORD", "wrong one").output();
    assert!(Finished::from(wrong.unwrap()).error(3).contains("invalid username or password"));
    shell.ok(&["whoami"]);
}

fn a_job_without_its_secret_or_a_right(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    shell.ok(&["logout"]);

    let without = shell.job("", &Shell::publish("1.0.0", &["notes.deb"]));
    assert_eq!(without.error(3), "error: SPINDRIFT_TOKEN is empty: is the secret set for this branch?");
    let published = shell.job(token.trim(), &Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    assert_eq!(published.code, Some(0), "{published:?}");
    let right = shell.job(token.trim(), &["rollout", "halt", "1.0.0", "--app", "notes"]);
    let text = "not allowed: the token lacks the right stop or roll, and has upload";
    assert!(right.error(4).contains(text), "{right:?}");
}

fn a_stopped_storage_publishes_nothing(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    world.store().stop();
    let publish = Shell::publish("1.0.0", &["--publish", "--retries", "0", "notes.deb"]);
    let done = shell.run(&publish);
    assert!(done.error(7).contains("run the same command again"), "{done:?}");
    assert!(!done.stderr.contains("X-Amz"), "addresses are credentials");
    assert_eq!(shell.ok(&["releases", "--json"]).json()["total"], 0);
    world.store().start_again();
    assert!(shell.ok(&publish).stderr.contains("resuming an earlier upload"));
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
}

/// A file size limit of the shell simulates a full disk.
fn a_full_disk(driver: Driver) {
    if !cfg!(target_os = "linux") {
        println!("skipped: needs a shell with `ulimit -f` and /dev/full");
        return;
    }
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", vec![7; 256 * 1024]);
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$@\"";
    let mut limited = shell.start("/bin/sh");
    let download = ["latest", "--owner", "ada", "--app", "notes", "--download", "new.deb"];
    let limited = limited.args(["-c", script, "sh", crate::shell::PROGRAM]).args(download).output().unwrap();
    Finished::from(limited).error(8);
    assert!(!shell.path("new.deb").exists(), "nothing half");

    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let listed = shell.command(&["app", "list"]).stdout(Stdio::from(full)).output().unwrap();
    assert!(Finished::from(listed).error(8).contains("make room"));
    assert!(
        shell
            .run(&["latest", "--app", "notes", "--download", "/dev/full"])
            .error(2)
            .contains("not a regular file")
    );
}

fn refusals_have_clear_errors(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content").write("sub/notes.deb", "other");
    for (arguments, code, text) in [
        (vec!["rollout", "set", "9.9", "50", "--app", "notes"], 5, "unknown release of notes \"9.9\""),
        (vec!["yank", "x.y", "--app", "notes"], 2, "not a version"),
        (Shell::publish("1.0.0", &["*.rpm"]), 2, "no such file"),
        (Shell::publish("1.0.0", &["notes.deb", "sub/notes.deb"]), 2, "two files"),
        (Shell::publish("1.0.0", &["--changelog-file", "missing", "notes.deb"]), 8, "missing"),
        (vec!["publish", "--app", "notes", "--version", "1.0.0", "notes.deb"], 2, "channel"),
        (
            vec!["publish", "--app", "nothing", "--version", "1.0.0", "notes.deb"],
            5,
            "there is only notes. `spindrift app create nothing`",
        ),
        (vec!["check", "1.0", "--app", "notes", "--owner", "nobody"], 5, "owner not found"),
        (vec!["reports", "show", "abc"], 5, "spindrift reports list"),
        (vec!["signup", "--username", "ada"], 6, "ada exists: `spindrift login --username ada`"),
        (vec!["frobnicate"], 2, "frobnicate"),
    ] {
        let done = shell.run(&arguments);
        assert_eq!(done.code, Some(code), "{arguments:?}: {done:?}");
        assert!(done.stderr.contains(text), "{arguments:?}: {done:?}");
    }
    shell.ok(&Shell::publish("1.0.0", &["notes.deb"]));
    assert!(shell.run(&Shell::publish("1.0.0", &["notes.deb"])).error(6).contains("exists"));
}
