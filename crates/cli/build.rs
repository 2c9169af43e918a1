//! Embeds the server that `self update` checks, if the environment names one. `docs/install.md`
//! describes the variables.

use std::path::Path;
use std::{env, fs, io};

/// The file with the root that verifies signed metadata. Its path may be relative to the repository
/// root.
const ROOT: &str = "SPINDRIFT_UPDATE_ROOT";
/// The source code of the program reads these variables at compile time.
const NAMES: [&str; 3] = ["SPINDRIFT_UPDATE_URL", "SPINDRIFT_UPDATE_OWNER", "SPINDRIFT_UPDATE_APP"];

fn main() -> io::Result<()> {
    for name in NAMES.into_iter().chain([ROOT]) {
        println!("cargo::rerun-if-env-changed={name}");
    }
    let given = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let names = NAMES.into_iter().filter_map(given).count();
    let root = match given(ROOT) {
        None if names == 0 => Vec::new(),
        Some(file) if names == NAMES.len() => {
            let file = Path::new("../..").join(file);
            println!("cargo::rerun-if-changed={}", file.display());
            fs::read(file)?
        }
        _ => return Err(io::Error::other(format!("set {NAMES:?} and {ROOT}, or none of them"))),
    };
    let folder = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&folder).join("update-root.json"), root)
}
