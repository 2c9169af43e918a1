//! `freeze add|list|end`.

use spindrift_core::Timestamp;
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{SCOPE, Shell};

on_hosts! {
    every: [a_freeze_holds_a_plan_until_it_is_ended, names_of_freezes_are_checked],
}

const DAY: i64 = 24 * 60 * 60;

pub(crate) fn in_days(days: i64) -> String {
    let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
    now.plus_seconds(days * DAY).to_rfc3339()
}

fn a_freeze_holds_a_plan_until_it_is_ended(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&Shell::publish("2.0.0", &["--publish", "--plan", "0:1d,100", "notes.deb"]));
    let to = in_days(3);
    let add = ["freeze", "add", "--app", "notes", "--to", &to, "--reason", "holidays"];
    let done = shell.ok(&add).stdout;
    assert!(done.starts_with("rollouts of notes are frozen from 2"), "{done}");
    let shown = shell.ok(&["release", "show", "2.0.0", "--app", "notes"]).stdout;
    assert!(shown.contains("a freeze holds it until 2"), "{shown}");
    let shown = shell.ok(&["rollout", "show", "2.0.0", "--app", "notes", "--json"]).json();
    assert_eq!(shown["offers"][0]["held_until"], to);
    let order = shell.ok(&["rollout", "start", "2.0.0", "--app", "notes", "--plan", "0:2d,100"]).stdout;
    assert!(order.contains("`spindrift freeze list` shows why"), "{order}");
    let explained =
        shell.ok(&[&["explain", "--version", "1.0.0", "--device", "device-1"], &SCOPE[..]].concat()).stdout;
    assert!(explained.contains("A freeze holds it until 2"), "{explained}");

    let listed = shell.ok(&["freeze", "list", "--app", "notes", "--json"]).json();
    let id = listed["freezes"][0]["id"].as_str().unwrap();
    let table = shell.ok(&["freeze", "list"]).stdout;
    assert!(table.contains(id) && table.contains("holidays"), "{table}");
    assert_eq!(shell.ok(&["freeze", "end", id]).stdout, "the freeze is over: rollouts go on\n");
    let shown = shell.ok(&["rollout", "show", "2.0.0", "--app", "notes", "--json"]).json();
    assert!(shown["offers"][0].get("held_until").is_none(), "{shown}");
}

fn names_of_freezes_are_checked(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let to = in_days(1);
    for (words, message) in [
        (&["add", "--app", "nots", "--to", &to, "--reason", "r"][..], "unknown application \"nots\""),
        (&["list", "--app", "nots"], "unknown application \"nots\""),
        (&["end", "none"], "unknown freeze \"none\""),
    ] {
        let done = shell.run(&[&["freeze"], words].concat());
        assert!(done.error(5).contains(message), "{words:?}: {done:?}");
    }
    // This variable is for commands about one application.
    let all = shell
        .command(&["freeze", "add", "--all-apps", "--to", &to, "--reason", "r", "--json"])
        .env("SPINDRIFT_APP", "notes")
        .output()
        .unwrap();
    assert_eq!(crate::shell::Finished::from(all).json()["app"], "");
}
