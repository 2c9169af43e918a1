//! Changes that would cut off installed copies.

use std::time::Duration;

use spindrift_tests::{Driver, Release, World, on_hosts, until};

use crate::shell::{SCOPE, Shell};

on_hosts! {
    every: [
        a_script_needs_force,
        updaters_are_added_and_removed,
        a_first_channel_tells_how_many_devices_name_none,
        a_default_is_marked_and_listed,
    ],
}

/// Maximum delay between an answer and its count.
const SOON: Duration = Duration::from_secs(20);

fn counting(driver: Driver) -> World {
    World::builder(driver).with_variable("device_hash_key", "a key of the tests").start()
}

/// Makes one device check with this query, and waits until it is counted.
fn ask(world: &World, shell: &Shell, query: &str) {
    let path = format!("/checkVersion?app_name=notes&owner=ada&version=0.1{query}");
    let _ = world.get(&path).header("x-device-id", "device-1").send().expect(200);
    until("counting", SOON, || {
        let figures = shell.ok(&["telemetry", "--json"]).json();
        (figures["summary"]["unique_clients"] == 1).then_some(())
    });
}

/// `ada`, with a release that one device has checked.
fn with_device(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.write("notes.deb", "notes");
    let publish = ["publish", "--version", "1.0.0", "--publish", "notes.deb"];
    shell.ok(&[&publish[..1], &SCOPE, &publish[1..]].concat());
    ask(world, &shell, "&channel=stable&platform=linux&arch=amd64");
    shell
}

fn a_script_needs_force(driver: Driver) {
    let world = counting(driver);
    let shell = with_device(&world);
    for (kind, name) in [("app", "notes"), ("channel", "stable"), ("platform", "linux"), ("arch", "amd64")] {
        let done = shell.run(&[kind, "update", name, "--rename", "other"]);
        let text = done.error(6);
        assert!(text.contains("1 device") && text.contains("--force"), "{text}");
        assert_eq!(shell.check("0.9")["version"], "1.0.0", "{kind}");
        shell.ok(&[kind, "update", name, "--rename", "other", "--force"]);
        shell.ok(&[kind, "update", "other", "--rename", name, "--force"]);
    }
    shell.ok(&["channel", "create", "beta"]);
    shell.ok(&["channel", "delete", "beta"]);
}

fn updaters_are_added_and_removed(driver: Driver) {
    let world = counting(driver);
    let shell = with_device(&world);
    let listed = || shell.ok(&["platform", "list"]).stdout;
    shell.ok(&["platform", "update", "linux", "--add-updater", "electron-builder", "--add-updater", "tauri"]);
    assert!(listed().contains("manual*, electron-builder, tauri"), "{}", listed());
    shell.ok(&["platform", "update", "linux", "--remove-updater", "tauri"]);
    assert!(listed().contains("manual*, electron-builder") && !listed().contains("tauri"), "{}", listed());
    let done = shell.run(&["platform", "update", "linux", "--updater", "electron-builder"]);
    let text = done.error(6);
    assert!(text.contains("1 device"), "{text}");
    assert_eq!(shell.check("0.9")["version"], "1.0.0");
    shell.ok(&["platform", "update", "linux", "--updater", "electron-builder", "--force"]);
    assert!(listed().contains("electron-builder*") && !listed().contains("manual"), "{}", listed());
    let both = shell.run(&["platform", "update", "linux", "--updater", "manual", "--add-updater", "tauri"]);
    let none = shell.run(&["platform", "update", "linux"]);
    assert_eq!((both.code, none.code), (Some(2), Some(2)), "{both:?} {none:?}");
}

fn a_first_channel_tells_how_many_devices_name_none(driver: Driver) {
    let world = counting(driver);
    let shell = Shell::new(&world.url());
    shell.ok(&["signup", "--username", "ada"]);
    shell.ok(&["app", "create", "notes"]);
    let ada = world.login("ada", spindrift_tests::PASSWORD);
    ada.publish(Release::new("1.0.0").without("channel").without("platform").without("arch"));
    ask(&world, &shell, "");
    for (kind, noun) in [("channel", "channel"), ("platform", "platform"), ("arch", "architecture")] {
        let text = shell.ok(&[kind, "create", "first"]).stderr;
        assert!(text.contains(&format!("1 device names no {noun}")), "{text}");
        assert!(text.contains(&format!("spindrift {kind} update first --default")), "{text}");
    }
}

fn a_default_is_marked_and_listed(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    for (kind, name, list, key) in [
        ("channel", "stable", "channels", "Default"),
        ("platform", "linux", "platforms", "Default"),
        ("arch", "amd64", "archs", "Default"),
    ] {
        let is_default = || shell.ok(&[kind, "list", "--json"]).json()[list][0][key].as_bool().unwrap();
        assert!(!is_default());
        shell.ok(&[kind, "update", name, "--default"]);
        assert!(is_default() && shell.ok(&[kind, "list"]).stdout.contains("yes"), "{kind}");
        shell.ok(&[kind, "update", name, "--default", "false"]);
        assert!(!is_default());
    }
}
