//! `cargo run` on machines that lack a tool. Programs that stand in for the tools are first in the `PATH`.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

/// Linux refuses to run a script while a process has it open for writing. A child that another test starts would have it open
/// for a moment, so one test at a time writes scripts and starts a child.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A machine with these tools: `(name, shell script)`.
fn start(tools: &[(&str, &str)], arguments: &[&str]) -> Output {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let machine = tempfile::tempdir().unwrap();
    for (name, script) in tools {
        let tool = machine.path().join(name);
        fs::write(&tool, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    }
    Command::new(env!("CARGO_BIN_EXE_spindrift-start"))
        .args(arguments)
        .env("PATH", machine.path())
        .env("CARGO", machine.path().join("cargo"))
        .output()
        .unwrap()
}

/// A compiler with the target, and one without.
const HAS_TARGET: (&str, &str) = ("rustc", "echo /");
const HAS_NO_TARGET: (&str, &str) = ("rustc", "echo /nonexistent");
const CARGO: (&str, &str) = ("cargo", "echo cargo \"$@\"");

#[track_caller]
fn fails_without_building(output: &Output, texts: &[&str]) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "cargo must not run");
    for text in texts {
        assert!(error.contains(text), "{text:?} is not in: {error}");
    }
}

#[test]
fn a_complete_machine_builds_and_runs_the_host_with_the_arguments() {
    let output = start(&[HAS_TARGET, CARGO], &["demo", "--no-build"]);
    assert!(output.status.success());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("cargo run "), "{said}");
    assert!(said.ends_with("--package spindrift-local -- demo --no-build\n"), "{said}");
}

#[test]
fn a_missing_target_is_installed_first() {
    let rustup = ("rustup", "echo rustup \"$@\"");
    let output = start(&[HAS_NO_TARGET, rustup, CARGO], &["demo"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.starts_with("rustup target add wasm32-wasip2\ncargo run "), "{said}");
}

#[test]
fn a_target_that_cannot_be_installed_is_named_with_its_command() {
    let rustup = ("rustup", "echo no network >&2; exit 1");
    let output = start(&[HAS_NO_TARGET, rustup, CARGO], &["demo"]);
    fails_without_building(&output, &["no network", "`rustup target add wasm32-wasip2`"]);
}

#[test]
fn without_rustup_the_target_is_named_too() {
    let output = start(&[HAS_NO_TARGET, CARGO], &["demo"]);
    fails_without_building(&output, &["wasm32-wasip2", "your system's package"]);
}

#[test]
fn without_a_compiler_rustup_is_named() {
    let output = start(&[CARGO], &["demo"]);
    fails_without_building(&output, &["rustc", "https://rustup.rs"]);
}
