//! `cargo xtask digest`: builds the module with which the console's pages hash files.
//!
//! It is committed, so that building the service needs one target only. CI builds it again and compares.

use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// The package, and the file that its build writes.
const PACKAGE: &str = "spindrift-digest";
const FILE: &str = "spindrift_digest.wasm";
/// WebAssembly without a system around it, which browsers run.
const TARGET: &str = "wasm32-unknown-unknown";
/// The committed module.
const COMMITTED: &str = "components/console/assets/digest.wasm";

/// Builds the module and writes it. With `is_check` it is only compared; `Ok(false)`: it differs.
pub(crate) fn run(root: &Path, is_check: bool) -> Result<bool, Error> {
    let target_folder = root.join("target/digest");
    build(root, &target_folder)?;
    let built = read(&target_folder.join(TARGET).join("wasm").join(FILE))?;
    let committed = root.join(COMMITTED);
    if is_check {
        let is_same = read(&committed)? == built;
        if !is_same {
            println!(
                "{COMMITTED} differs from the build of components/console/digest: run `cargo xtask digest`"
            );
        }
        return Ok(is_same);
    }
    std::fs::write(&committed, built).map_err(Error::file(&committed))?;
    Ok(true)
}

fn build(root: &Path, target_folder: &Path) -> Result<(), Error> {
    let fail = |reason: String| Error::Command {
        command: format!("cargo build -p {PACKAGE} --target {TARGET}"),
        reason,
    };
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "build",
            "--quiet",
            "--locked",
            "--profile",
            "wasm",
            "--target",
            TARGET,
            "--package",
            PACKAGE,
            "--target-dir",
        ])
        .arg(target_folder)
        .current_dir(root)
        // Flags of the build around this one would change the module.
        .env("CARGO_INCREMENTAL", "0")
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status();
    match status.map_err(|error| fail(error.to_string()))? {
        status if status.success() => Ok(()),
        status => Err(fail(format!("ended with {status}. It needs `rustup target add {TARGET}`"))),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(Error::file(path))
}
