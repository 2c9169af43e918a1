//! Receipts: before an upload, after it, and as a condition for it.

use serde_json::json;
use spindrift_tests::{Driver, World, electron_yml, on_hosts};

use crate::shell::Shell;

on_hosts! {
    every: [
        the_updater_follows_from_the_feed,
        publish_shows_who_gets_the_release,
        strict_sends_nothing_if_clients_would_fall_behind,
        a_dry_run_sends_nothing,
        the_documented_job_may_run_twice,
    ],
}

const FILE: &str = "Notes-1.1.0.AppImage";

/// A folder with an Electron build for Linux.
fn electron_build(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.write("dist/latest-linux.yml", electron_yml("1.1.0", &[FILE])).write(&format!("dist/{FILE}"), FILE);
    shell
}

fn the_updater_follows_from_the_feed(driver: Driver) {
    let world = World::new(driver);
    let shell = electron_build(&world);
    let publish = Shell::publish("1.1.0", &["--publish", "dist/*"]);
    let refused = shell.run(&publish);
    let error = refused.error(5);
    for part in
        ["no updater \"electron-builder\"", "spindrift platform update linux --add-updater electron-builder"]
    {
        assert!(error.contains(part), "{part}: {error}");
    }
    assert!(shell.ok(&["releases", "--json"]).json()["items"].as_array().unwrap().is_empty());

    shell.ok(&["platform", "update", "linux", "--add-updater", "electron-builder"]);
    let done = shell.ok(&publish);
    assert!(done.stderr.contains("latest-linux.yml is a feed of electron-builder"), "{done:?}");
    let feed = world.get("/update/ada/notes/stable/linux/amd64/1.0.0/latest-linux.yml").send().expect(200);
    assert!(feed.text().contains("1.1.0"));
}

fn publish_shows_who_gets_the_release(driver: Driver) {
    let world = World::new(driver);
    let shell = electron_build(&world);
    shell.write("notes.deb", "deb");
    let done = shell.ok(&Shell::publish("1.0.0", &["notes.deb"]));
    assert!(done.stdout.contains("Who gets notes 1.0.0 once it is published:"), "{done:?}");
    let done = shell.ok(&["release", "publish", "1.0.0", "--app", "notes"]);
    assert!(done.stdout.contains("Who gets notes 1.0.0:\n"), "{done:?}");
    let shown = shell.ok(&["release", "receipt", "1.0.0", "--app", "notes", "--strict"]);
    assert!(shown.stdout.contains("stable   linux     amd64  manual   yes"), "{shown:?}");
    let shown = shell.ok(&["release", "receipt", "1.0.0", "--app", "notes", "--json"]).json();
    assert_eq!((&shown["behind"], &shown["lines"][0]["outcome"]), (&json!(false), &json!("gets")));
    let report = shell.ok(&Shell::publish("1.0.1", &["--json", "notes.deb"])).json();
    assert_eq!(report["receipt"]["lines"][0]["outcome"], "gets");
}

fn strict_sends_nothing_if_clients_would_fall_behind(driver: Driver) {
    let world = World::new(driver);
    let shell = electron_build(&world);
    shell.ok(&["platform", "update", "linux", "--add-updater", "electron-builder"]);
    shell.ok(&Shell::publish("1.1.0", &["--publish", "--strict", "dist/*"]));
    shell.write("notes.deb", "deb");
    let refused = shell.run(&Shell::publish("1.2.0", &["--publish", "--strict", "notes.deb"]));
    assert_eq!(refused.code, Some(14), "{refused:?}");
    assert!(refused.stdout.contains("NO, falls behind"), "{refused:?}");
    let versions =
        |shell: &Shell| shell.ok(&["releases", "--json"]).json()["items"].as_array().unwrap().len();
    assert_eq!(versions(&shell), 1);

    shell.ok(&Shell::publish("1.2.0", &["notes.deb"]));
    let publish = ["release", "publish", "1.2.0", "--app", "notes"];
    let refused = shell.run(&[&publish[..], &["--strict"]].concat());
    assert_eq!(refused.code, Some(14), "{refused:?}");
    assert_eq!(
        shell.ok(&["release", "show", "1.2.0", "--app", "notes", "--json"]).json()["Published"],
        false
    );
    shell.ok(&publish);
}

fn a_dry_run_sends_nothing(driver: Driver) {
    let world = World::new(driver);
    let shell = electron_build(&world);
    shell.write("Notes.exe", "exe");
    let shown = shell.ok(&Shell::publish("1.0.0", &["--publish", "--dry-run", "Notes.exe"]));
    assert!(shown.stdout.contains("stable   linux     amd64  manual   yes"), "{shown:?}");
    assert!(shown.stdout.contains("warning: Notes.exe is a file for Windows"), "{shown:?}");
    assert!(shown.sent().is_empty());
    assert!(shell.ok(&["releases", "--json"]).json()["items"].as_array().unwrap().is_empty());
}

fn the_documented_job_may_run_twice(driver: Driver) {
    let world = World::new(driver);
    let shell = electron_build(&world);
    shell.write("notes.deb", "deb");
    shell.ok(&Shell::publish("2.0.0", &["notes.deb"]));
    let words = ["token", "create", "release", "--app", "notes", "--may", "publish"];
    let token = shell.ok(&words).stdout.trim().to_owned();
    let job = |rest: &[&str]| {
        shell.job(&token, &[&["release", "publish", "v2.0.0", "--app", "notes"], rest].concat())
    };
    for run in ["first", "second"] {
        let done = job(&["--guard", "pause", "--reason", "pipeline"]);
        assert_eq!(done.code, Some(0), "{run}: {done:?}");
    }
    let planned = job(&["--plan", "1:12h,100", "--guard", "pause"]);
    assert!(planned.error(6).starts_with("error: the release is published;"), "{planned:?}");
}
