//! Puts a bundle into the library, if the environment names one: `SPINDRIFT_BUNDLE=<file>`. `spindrift-local bundle` writes
//! bundles, and `deploy/release/build` uses both to build the released program.

use std::env;
use std::path::Path;

const VARIABLE: &str = "SPINDRIFT_BUNDLE";

fn main() -> std::io::Result<()> {
    println!("cargo::rustc-check-cfg=cfg(bundled)");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if let Some(file) = env::var_os(VARIABLE).filter(|file| !file.is_empty()) {
        let file = Path::new(&file).canonicalize()?;
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-env=SPINDRIFT_BUNDLE_FILE={}", file.display());
        println!("cargo::rustc-cfg=bundled");
    }
    Ok(())
}
