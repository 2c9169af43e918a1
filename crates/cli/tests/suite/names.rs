//! Errors name the unknown name, and list the existing ones.

use serde_json::Value;
use spindrift_tests::{Driver, World, on_hosts};

use crate::server::nobody;
use crate::shell::{Finished, SCOPE, Shell};

on_hosts! {
    every: [
        unknown_names_come_with_those_that_exist,
        names_are_looked_up_before_files_are_hashed,
        packages_in_either_case,
        a_folder_for_downloads_is_made,
        errors_as_json,
    ],
}

fn unknown_names_come_with_those_that_exist(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.ok(&["channel", "create", "beta"]);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    let channel = "unknown channel \"stabel\": did you mean \"stable\"? There are beta, stable";
    let app = "unknown application \"nots\": did you mean \"notes\"?";
    for (arguments, expected) in [
        (&["releases", "--app", "nots"][..], app),
        (&["release", "list", "--app", "notes", "--channel", "stabel"], channel),
        (&["check", "0.9", "--app", "nots"], app),
        (
            &[
                "check",
                "0.9",
                "--app",
                "notes",
                "--channel",
                "stabel",
                "--platform",
                "linux",
                "--arch",
                "amd64",
            ],
            channel,
        ),
        (&["latest", "--app", "nots"], app),
        (&["latest", "--app", "notes", "--channel", "stabel"], channel),
        (&["yank", "1.0.0", "--app", "nots"], app),
        (&["yank", "1.0.1", "--app", "notes"], "unknown release of notes \"1.0.1\": did you mean \"1.0.0\"?"),
        (&["channel", "delete", "stabel"], channel),
        (&["token", "create", "ci", "--app", "nots"], app),
        (&["user", "delete", "bob"], "unknown user \"bob\": there is none yet"),
    ] {
        assert_eq!(shell.run(arguments).error(5), format!("error: {expected}"), "{arguments:?}");
    }
    let updater = Shell::publish("1.1.0", &["--updater", "velopack", "notes.deb"]);
    let text = "the platform \"linux\" has no updater \"velopack\". There is only manual; `spindrift \
                platform update linux";
    assert!(shell.run(&updater).error(5).contains(text));
    let which = shell.run(&["publish", "--app", "notes", "--version", "1.1.0", "notes.deb"]);
    assert_eq!(which.error(2), "error: which channel? Pass --channel. There are beta, stable");
}

fn names_are_looked_up_before_files_are_hashed(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    let mut wrong = Shell::publish("1.0.0", &["notes.deb"]);
    wrong[6] = "stabel";
    for (token, text) in [(None, "did you mean \"stable\"?"), (Some(token.trim()), "check the spelling")] {
        let mut command = shell.command(&wrong);
        let done =
            Finished::from(command.envs(token.map(|token| ("SPINDRIFT_TOKEN", token))).output().unwrap());
        assert!(done.error(5).starts_with("error: unknown channel \"stabel\": "), "{done:?}");
        assert!(done.stderr.contains(text) && !done.stderr.contains("hashed"), "{done:?}");
    }
}

fn packages_in_either_case(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "deb").write("notes.rpm", "rpm");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb", "notes.rpm"]));
    let check = |rest: &[&str]| shell.run(&[&["check", "0.9"], &SCOPE[..], rest].concat());
    let latest = |rest: &[&str]| shell.run(&[&["latest"], &SCOPE[..], rest].concat());
    for run in [&check as &dyn Fn(&[&str]) -> Finished, &latest] {
        assert_eq!(run(&["--package", "RPM", "--download", "got"]).code, Some(0));
        assert_eq!(std::fs::read_to_string(shell.path("got")).unwrap(), "rpm");
        let unknown = run(&["--package", "rpms", "--download", "got"]);
        assert_eq!(
            unknown.error(5),
            "error: unknown package \"rpms\": did you mean \"rpm\"? There are deb, rpm"
        );
    }
    assert_eq!(
        check(&["--download", "."]).error(2),
        "error: which package? Pass --package. There are deb, rpm"
    );
}

fn a_folder_for_downloads_is_made(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&["latest", "--app", "notes", "--download", "new/updates/"]);
    assert_eq!(std::fs::read_to_string(shell.path("new/updates/notes-1.0.0.deb")).unwrap(), "content");
}

/// The error, which is the last line of standard error.
fn json_error(done: &Finished) -> Value {
    assert_eq!(done.stdout, "", "{done:?}");
    serde_json::from_str(done.stderr.lines().last().unwrap()).unwrap()
}

fn errors_as_json(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let unknown = shell.run(&["yank", "1.0.0", "--app", "nots", "--json"]);
    let error = json_error(&unknown);
    assert_eq!((unknown.code, error["exit_code"].as_i64()), (Some(5), Some(5)));
    assert_eq!(error["error"], "unknown application \"nots\": did you mean \"notes\"?");

    let taken = json_error(&shell.run(&["app", "create", "notes", "--json"]));
    assert_eq!((&taken["exit_code"], &taken["status"]), (&6.into(), &409.into()), "{taken}");
    assert!(taken["code"].is_string() && taken["request_id"].is_string(), "{taken}");

    let wrong = shell.run(&["frobnicate", "--json"]);
    let error = json_error(&wrong);
    assert_eq!((wrong.code, error["exit_code"].as_i64()), (Some(2), Some(2)));
    assert!(error["error"].as_str().unwrap().contains("frobnicate"), "{error}");
}

#[test]
fn logging_in_does_not_help_where_nothing_can_be_reached() {
    let shell = Shell::new(&nobody());
    for arguments in [&["whoami"][..], &["app", "list"], &["releases"]] {
        let done = shell.run(arguments);
        assert!(done.error(7).contains("cannot be reached"), "{done:?}");
        assert!(!done.stderr.contains("not logged in"), "{done:?}");
    }
}
