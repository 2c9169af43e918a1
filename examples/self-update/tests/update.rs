//! The program updates itself from a running service.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "whatever fails here fails the test")]

use std::process::Command;

use spindrift_tests::{Account, Driver, Release, World, on_hosts};

/// A stand-in for a newer build, which prints its version.
const NEWER: &str = "#!/bin/sh\necho this is version 9.0.0\n";

on_hosts! {
    every: [it_becomes_the_newer_version, it_stays_what_it_is_without_one],
}

/// An admin with the scope in which this program checks.
fn admin(world: &World) -> Account {
    let target = (os(), processor());
    let ada = world.admin("ada");
    ada.create_app("self-update");
    ada.create_channel("stable");
    ada.create_platform(target.0);
    ada.create_arch(target.1);
    ada
}

fn os() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS }
}

fn processor() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// Runs an installed copy twice. Returns the output of both runs.
fn run_twice(world: &World) -> [String; 2] {
    let installed = world.dir().join("self-update");
    // Another process copies the file. A program cannot be run while a process has it open for writing, and a child of
    // another test that was forked during the copy could still have it open.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_self-update")).arg(&installed).status().unwrap();
    assert!(copied.success());
    [(); 2].map(|()| {
        let mut program = Command::new(&installed);
        program.env("SELF_UPDATE_URL", world.url()).env("SELF_UPDATE_OWNER", "ada");
        let output = program.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    })
}

fn it_becomes_the_newer_version(driver: Driver) {
    let world = World::new(driver);
    let release = Release::empty("9.0.0").file("self-update", NEWER);
    let release = release.with("app_name", "self-update").with("platform", os()).with("arch", processor());
    admin(&world).publish(release);
    let [first, second] = run_twice(&world);
    assert_eq!(first, "this is version 0.1.0\nversion 9.0.0 is there\nthis is version 9.0.0\n");
    assert_eq!(second, "this is version 9.0.0\n", "it stays there");
}

fn it_stays_what_it_is_without_one(driver: Driver) {
    let world = World::new(driver);
    admin(&world);
    let [first, second] = run_twice(&world);
    assert_eq!(first, "this is version 0.1.0\nit is up to date\n");
    assert_eq!(first, second);
}
