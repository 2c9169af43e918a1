//! Compiles `digest/` to WebAssembly that pages run in the browser.
#![expect(clippy::expect_used, reason = "a build script fails by ending")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// WebAssembly without a system around it.
const TARGET: &str = "wasm32-unknown-unknown";
/// The profile for WebAssembly, in the root `Cargo.toml`.
const PROFILE: &str = "wasm";
/// What is meant for the build around this one.
const NOT_INHERITED: [&str; 3] = ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER"];

fn main() {
    for path in ["build.rs", "digest/Cargo.toml", "digest/src", "../../Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let target_dir = out.join("digest");
    require_target();
    let mut cargo = Command::new(std::env::var_os("CARGO").expect("cargo sets CARGO"));
    cargo
        .current_dir("digest")
        .args(["build", "--quiet", "--locked", "--profile", PROFILE, "--target", TARGET, "--target-dir"])
        .arg(&target_dir);
    for name in NOT_INHERITED {
        cargo.env_remove(name);
    }
    let status = cargo.status().expect("cargo runs");
    assert!(status.success(), "the console's digests were not built: {status}");
    let built = target_dir.join(TARGET).join(PROFILE).join("spindrift_digest.wasm");
    std::fs::copy(&built, out.join("digest.wasm")).expect("the module that was built");
}

/// Says how to get the target, which cargo's own message does not.
fn require_target() {
    let rustc = std::env::var_os("RUSTC").expect("cargo sets RUSTC");
    let libraries = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
    let libraries = libraries.expect("rustc runs").stdout;
    let is_there = Path::new(String::from_utf8_lossy(&libraries).trim()).is_dir();
    assert!(is_there, "the console needs the target {TARGET}: run `rustup target add {TARGET}`");
}
