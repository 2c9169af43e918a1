//! `group create|list|add|remove|key|delete`, and releases that admit groups or require an OS
//! version.

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{SCOPE, Shell};

on_hosts! {
    every: [
        a_group_comes_and_goes,
        testers_get_a_release_before_everybody,
        a_release_for_newer_systems,
        unknown_groups_come_with_those_that_exist,
    ],
}

/// A user with a published release 1.0.0, and a draft 2.0.0 that no device gets.
fn with_a_draft(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&Shell::publish("2.0.0", &["--rollout", "0", "notes.deb"]));
    shell
}

/// Creates a group, and returns its key.
fn create(shell: &Shell, name: &str) -> String {
    let created = shell.ok(&["group", "create", name, "--app", "notes", "--json"]).json();
    created["key"].as_str().unwrap().to_owned()
}

/// The version offered to a copy with 1.0.0.
fn offered_answer(shell: &Shell, said: &[&str]) -> Value {
    let check = ["check", "1.0.0", "--owner", "ada", "--json"];
    shell.ok(&[&check[..], &SCOPE, said].concat()).json()["version"].clone()
}

fn a_group_comes_and_goes(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    let done = shell.ok(&["group", "create", "qa", "--app", "notes", "--reason", "release tests"]);
    let words: Vec<&str> = done.stdout.split_whitespace().collect();
    assert_eq!((words.len(), words[0], words[1], words[2]), (4, "group", "qa", "key"), "{done:?}");
    assert!(words[3].starts_with("grp_") && done.stderr.contains("it is not shown again"), "{done:?}");
    let audit = shell.ok(&["audit", "list", "--kind", "group.create", "--json"]).json();
    assert_eq!(audit["items"][0]["reason"], "release tests");

    let change = |words: &[&str]| shell.ok(&[&["group"], words, &["--app", "notes"]].concat()).stdout;
    assert_eq!(change(&["add", "qa", "device-1", "device-2"]), "the list of the group qa has 2 devices\n");
    assert_eq!(change(&["remove", "qa", "device-2"]), "the list of the group qa has 1 device\n");
    let table = change(&["list"]);
    assert!(table.contains("qa    1        2") && !table.contains(words[3]), "{table}");

    shell.ok(&["release", "edit", "2.0.0", "--app", "notes", "--group", "qa"]);
    let used = shell.run(&["group", "delete", "qa", "--app", "notes"]);
    assert!(used.error(6).contains("`spindrift release edit --no-groups` changes that"), "{used:?}");
    shell.ok(&["release", "edit", "2.0.0", "--app", "notes", "--no-groups"]);
    assert_eq!(change(&["delete", "qa"]), "group `qa` deleted\n");
    assert_eq!(change(&["list", "--json"]), "{\n  \"groups\": []\n}\n");
}

fn testers_get_a_release_before_everybody(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    let key = create(&shell, "qa");
    let _ = create(&shell, "beta");
    shell.ok(&["group", "add", "beta", "device-1", "--app", "notes"]);
    let publish = ["release", "publish", "2.0.0", "--app", "notes", "--group", "qa", "--group", "beta"];
    let text = shell.ok(&publish).stdout;
    assert!(
        text.starts_with("notes 2.0.0 is offered only to the groups beta, qa\n\nWho gets notes 2.0.0:\n"),
        "{text}"
    );
    for (said, version) in [
        (&[][..], "1.0.0"),
        (&["--group", &key], "2.0.0"),
        (&["--device-id", "device-1"], "2.0.0"),
        (&["--device-id", "device-2"], "1.0.0"),
    ] {
        assert_eq!(offered_answer(&shell, said), version, "{said:?}");
    }
    let show = ["release", "show", "2.0.0", "--app", "notes"];
    let shown = shell.ok(&show).stdout;
    assert!(shown.lines().any(|line| line.starts_with("groups") && line.ends_with("  beta, qa")), "{shown}");
    let json = shell.ok(&[&show[..], &["--json"]].concat()).json();
    assert_eq!(json["Offers"][0]["groups"], json!(["beta", "qa"]));
    let text = shell.ok(&["rollout", "set", "2.0.0", "5", "--app", "notes"]).stdout;
    assert_eq!(text, "notes 2.0.0 is offered to 5 % of devices and to the groups beta, qa\n");

    let new = shell.ok(&["group", "key", "qa", "--app", "notes", "--json"]).json();
    let _ = shell.ok(&["rollout", "set", "2.0.0", "0", "--app", "notes"]);
    let new = new["key"].as_str().unwrap();
    assert_eq!(
        (offered_answer(&shell, &["--group", &key]), offered_answer(&shell, &["--group", new])),
        ("1.0.0".into(), "2.0.0".into())
    );
    shell.ok(&["release", "edit", "2.0.0", "--app", "notes", "--no-groups"]);
    assert_ne!(offered_answer(&shell, &["--group", new]), "2.0.0");
}

fn a_release_for_newer_systems(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    shell.ok(&Shell::publish("3.0.0", &["--min-os", "12", "--publish", "notes.deb"]));
    let check = |said: &[&str]| shell.ok(&[&["check", "1.0.0"], &SCOPE[..], said].concat()).stdout;
    assert!(check(&["--os-version", "12.1"]).starts_with("3.0.0 is available\n"));
    let unmet = "1.0.0 is the newest for this system\n3.0.0 needs os_version 12 or later\n";
    for said in [&["--os-version", "11.7"][..], &[]] {
        assert_eq!(check(said), unmet, "{said:?}");
    }
    let show = ["release", "show", "3.0.0", "--app", "notes"];
    let shown = shell.ok(&show).stdout;
    assert!(shown.contains("  linux/amd64: os_version 12 or later\n"), "{shown}");
    let json = shell.ok(&[&show[..], &["--json"]].concat()).json();
    assert_eq!(json["Requires"][0]["requires"], json!({ "os_version": { "min": "12" } }));

    shell.ok(&["release", "edit", "3.0.0", "--app", "notes", "--min-os", "11"]);
    assert!(check(&["--os-version", "11.7"]).starts_with("3.0.0 is available\n"));
    shell.ok(&["release", "edit", "3.0.0", "--app", "notes", "--no-min-os"]);
    assert!(check(&[]).starts_with("3.0.0 is available\n"));

    shell.ok(&["release", "publish", "2.0.0", "--app", "notes", "--rollout", "1"]);
    shell.ok(&["yank", "3.0.0", "--app", "notes"]);
    // Without a device id, only copies that ask interactively are in the first percent.
    assert_ne!(offered_answer(&shell, &[]), "2.0.0");
    assert_eq!(offered_answer(&shell, &["--interactive"]), "2.0.0");
}

fn unknown_groups_come_with_those_that_exist(driver: Driver) {
    let world = World::new(driver);
    let shell = with_a_draft(&world);
    let none = shell.run(&["group", "add", "qa", "device-1", "--app", "notes"]);
    assert_eq!(none.error(5), "error: unknown group of notes \"qa\": there is none yet");
    let _ = create(&shell, "qa");
    let _ = create(&shell, "beta");
    let text = "error: unknown group of notes \"betta\": did you mean \"beta\"? There are beta, qa";
    for arguments in [
        &["group", "add", "betta", "device-1", "--app", "notes"][..],
        &["group", "key", "betta", "--app", "notes"],
        &["group", "delete", "betta", "--app", "notes"],
        &["release", "publish", "2.0.0", "--app", "notes", "--group", "betta"],
        &["release", "edit", "2.0.0", "--app", "notes", "--group", "qa", "--group", "betta"],
        &Shell::publish("3.0.0", &["--group", "betta", "notes.deb"]),
    ] {
        assert_eq!(shell.run(arguments).error(5), text, "{arguments:?}");
    }
    for arguments in [
        &["group", "create", "qa", "--app", "nots"][..],
        &["group", "list", "--app", "nots"],
        &["group", "remove", "qa", "device-1", "--app", "nots"],
    ] {
        let done = shell.run(arguments);
        assert!(done.error(5).starts_with("error: unknown application \"nots\""), "{arguments:?}: {done:?}");
    }
}
