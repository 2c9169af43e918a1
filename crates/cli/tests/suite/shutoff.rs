//! `shutoff add|list|lift`.

use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{SCOPE, Shell};

on_hosts! {
    every: [updates_are_shut_off_until_that_is_lifted, names_of_shut_offs_are_checked],
}

fn with_an_update(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.write("notes.deb", "content");
    shell.ok(&Shell::publish("1.0.0", &["--publish", "notes.deb"]));
    shell.ok(&Shell::publish("2.0.0", &["--publish", "notes.deb"]));
    shell
}

fn updates_are_shut_off_until_that_is_lifted(driver: Driver) {
    let world = World::new(driver);
    let shell = with_an_update(&world);
    assert_eq!(shell.check("1.0.0")["version"], "2.0.0");
    let add = ["shutoff", "add", "--app", "notes", "--platform", "linux", "--reason"];
    let done = shell.ok(&[&add[..], &["looking into crashes"]].concat());
    assert!(done.stdout.starts_with("updates of notes, platform linux are shut off: "), "{done:?}");
    assert_eq!(shell.check("1.0.0")["shut_off"], true);
    let text = shell.ok(&[&["check", "1.0.0"], &SCOPE[..]].concat()).stdout;
    assert_eq!(text, "updates are shut off\n");
    let explained = shell.ok(&[&["explain", "--version", "1.0.0"], &SCOPE[..]].concat()).stdout;
    assert!(explained.contains("is offered nothing: updates are shut off"), "{explained}");
    for words in [
        &["release", "publish", "2.0.0"][..],
        &["release", "show", "2.0.0"],
        &["rollout", "set", "2.0.0", "100"],
    ] {
        let message = shell.ok(&[words, &["--app", "notes"]].concat()).stdout;
        assert!(message.contains("`spindrift shutoff list` shows for which clients"), "{words:?}: {message}");
    }

    let again = shell.ok(&[&add[..], &["another reason", "--json"]].concat());
    assert!(again.stderr.contains("ada has shut them off before, at 2"), "{again:?}");
    assert_eq!(again.json()["reason"], "looking into crashes");
    let listed = shell.ok(&["shutoff", "list", "--app", "notes", "--json"]).json();
    let id = listed["shutoffs"][0]["id"].as_str().unwrap();
    assert_eq!((listed["shutoffs"].as_array().unwrap().len(), id), (1, again.json()["id"].as_str().unwrap()));
    let table = shell.ok(&["shutoff", "list"]).stdout;
    assert!(table.contains(id) && table.contains("looking into crashes"), "{table}");

    let lifted = shell.ok(&["shutoff", "lift", id]).stdout;
    assert_eq!(lifted, "the shut-off is lifted: clients are offered updates as before it\n");
    assert_eq!(shell.check("1.0.0")["version"], "2.0.0");
    assert!(shell.run(&["shutoff", "lift", id]).error(5).contains("`spindrift shutoff list` shows the ids"));
}

fn names_of_shut_offs_are_checked(driver: Driver) {
    let world = World::new(driver);
    let shell = with_an_update(&world);
    for (words, message) in [
        (
            &["add", "--app", "nots", "--reason", "r"][..],
            "unknown application \"nots\": did you mean \"notes\"?",
        ),
        (&["add", "--app", "notes", "--channel", "stabel", "--reason", "r"], "unknown channel \"stabel\""),
        (&["list", "--app", "nots"], "unknown application \"nots\""),
        (&["lift", "none"], "unknown shut-off \"none\""),
    ] {
        let done = shell.run(&[&["shutoff"], words].concat());
        assert!(done.error(5).contains(message), "{words:?}: {done:?}");
    }
    // These variables are for commands that ask as a client does.
    let narrowed = shell
        .command(&["shutoff", "add", "--app", "notes", "--reason", "r", "--json"])
        .env("SPINDRIFT_CHANNEL", "stable")
        .env("SPINDRIFT_PLATFORM", "linux")
        .output()
        .unwrap();
    let json = crate::shell::Finished::from(narrowed).json();
    assert_eq!((&json["channel"], &json["platform"]), (&"".into(), &"".into()));
}
