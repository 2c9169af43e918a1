//! The program updates itself from a running service.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "whatever fails here fails the test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use jiff::Timestamp;
use spindrift_tests::trust::key::RootKeys;
use spindrift_tests::trust::repository::TestRepository;
use spindrift_tests::trust::role::TestTarget;
use spindrift_tests::trust::served::serve;
use spindrift_tests::{Account, Driver, Release, World, on_hosts};

/// A stand-in for a newer build, which prints its version.
const NEWER: &str = "#!/bin/sh\necho this is version 9.0.0\n";

on_hosts! {
    every: [
        it_becomes_the_newer_version,
        it_stays_what_it_is_without_one,
        it_becomes_what_was_signed,
        it_does_not_become_what_was_not_signed,
    ],
}

/// An admin with the scope in which this program checks.
fn admin(world: &World) -> Account {
    admin_with(world, false)
}

/// `tuf`: releases have the digests that metadata needs.
fn admin_with(world: &World, tuf: bool) -> Account {
    let target = (os(), processor());
    let ada = world.admin("ada");
    ada.create_app_with(serde_json::json!({ "app": "self-update", "tuf": tuf }));
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

fn newer() -> Release {
    let release = Release::empty("9.0.0").file("self-update", NEWER);
    release.with("app_name", "self-update").with("platform", os()).with("arch", processor())
}

/// Installs a copy.
fn install(world: &World) -> PathBuf {
    let installed = world.dir().join("self-update");
    // Another process copies the file. A program cannot be run while a process has it open for writing, and a child of
    // another test that was forked during the copy could still have it open.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_self-update")).arg(&installed).status().unwrap();
    assert!(copied.success());
    installed
}

/// Runs an installed copy twice. Returns the output of both runs.
fn run_twice(world: &World) -> [String; 2] {
    let installed = install(world);
    [(); 2].map(|()| {
        let output = run(world, &installed);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    })
}

fn run(world: &World, installed: &Path) -> Output {
    let mut program = Command::new(installed);
    program.env("SELF_UPDATE_URL", world.url()).env("SELF_UPDATE_OWNER", "ada").output().unwrap()
}

/// The newer version is there, and this was signed for it. The root is beside the program.
fn sign(world: &World, signed: &[u8]) {
    let ada = admin_with(world, true);
    ada.publish(newer().with_digests());
    let find = "SELECT storage_key FROM artifacts";
    let key: String = world.database().query_row(find, [], |row| row.get(0)).unwrap();
    let custom = serde_json::json!({
        "arch": processor(),
        "channel": "stable",
        "package": "no-extension",
        "platform": os(),
        "repository": "ada/self-update",
        "version": "9.0.0",
    });
    let now = Timestamp::now();
    let mut repository = TestRepository::new("ada", "self-update", RootKeys::generation(1), now);
    repository.publish([TestTarget::new(&key, signed, custom)], now);
    serve(world, &ada.app_id("self-update"), &repository);
    std::fs::write(world.dir().join("root.json"), repository.root()).unwrap();
}

fn it_becomes_the_newer_version(driver: Driver) {
    let world = World::new(driver);
    admin(&world).publish(newer());
    let [first, second] = run_twice(&world);
    let said = "version 9.0.0 is there\nit is not verified: there is no root.json\n";
    assert_eq!(first, format!("this is version 0.1.0\n{said}this is version 9.0.0\n"));
    assert_eq!(second, "this is version 9.0.0\n", "it stays there");
}

fn it_stays_what_it_is_without_one(driver: Driver) {
    let world = World::new(driver);
    admin(&world);
    let [first, second] = run_twice(&world);
    assert_eq!(first, "this is version 0.1.0\nit is up to date\n");
    assert_eq!(first, second);
}

fn it_becomes_what_was_signed(driver: Driver) {
    let world = World::new(driver);
    sign(&world, NEWER.as_bytes());
    let [first, second] = run_twice(&world);
    let said = "version 9.0.0 is there\nit is signed\n";
    assert_eq!(first, format!("this is version 0.1.0\n{said}this is version 9.0.0\n"));
    assert_eq!(second, "this is version 9.0.0\n");
}

/// The service has other bytes than those that were signed.
fn it_does_not_become_what_was_not_signed(driver: Driver) {
    let world = World::new(driver);
    sign(&world, NEWER.replace("9.0.0", "9.9.9").as_bytes());
    let installed = install(&world);
    for _ in 0..2 {
        let output = run(&world, &installed);
        assert!(!output.status.success());
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said, "this is version 0.1.0\nversion 9.0.0 is there\nit is signed\n");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.starts_with("no update: the file's sha256 digest is"), "{error}");
    }
}
