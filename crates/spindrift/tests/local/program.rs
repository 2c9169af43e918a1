//! The program `spindrift-host`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::probe::manifest;

/// The standard error output of the program until it serves. Its compiled code is kept in `cache`.
fn said_at_start(cache: &Path) -> String {
    let state = tempfile::tempdir().unwrap();
    let mut host = Command::new(env!("CARGO_BIN_EXE_spindrift-host"))
        .args(["up", "--no-build", "--listen", "127.0.0.1:0", "--storage-listen", "127.0.0.1:0", "--from"])
        .arg(manifest())
        .args([Path::new("--cache-dir"), cache, Path::new("--state-dir"), state.path()])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let serving = BufReader::new(host.stdout.take().unwrap()).lines().map_while(Result::ok).next();
    host.kill().unwrap();
    let said = host.wait_with_output().unwrap().stderr;
    assert!(serving.is_some_and(|line| line.starts_with("Serving ")));
    String::from_utf8(said).unwrap()
}

#[test]
fn a_first_start_says_that_it_compiles() {
    let cache = tempfile::tempdir().unwrap();
    let first = said_at_start(cache.path());
    assert!(first.contains("Compiling bare for this machine"), "{first}");
    let second = said_at_start(cache.path());
    assert!(!second.contains("Compiling"), "{second}");
}
