//! `cargo xtask modules`: builds the modules that the console's pages run in the browser.
//!
//! They are committed, so that building the service needs only one target. CI builds them again and
//! compares.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};

use crate::error::Error;

/// WebAssembly with few imports, which a page can give: browsers run no components.
const TARGET: &str = "wasm32-wasip1";

/// The packages, and the files of their builds. The committed files end in `.wasm.gz`, as browsers get them.
const MODULES: [(&str, &str); 2] = [("spindrift-digest", "digest"), ("spindrift-patch", "patch")];

/// Builds the modules and writes them. With `is_check` they are only compared; `Ok(false)`: they differ.
pub(crate) fn run(root: &Path, is_check: bool) -> Result<bool, Error> {
    let target_folder = root.join("target/modules");
    let mut is_same = true;
    for (package, name) in MODULES {
        build(root, &target_folder, package)?;
        let built = read(&target_folder.join(TARGET).join(format!("wasm/spindrift_{name}.wasm")))?;
        let file = format!("components/console/assets/{name}.wasm.gz");
        let committed = root.join(&file);
        let failed = Error::file(&committed);
        if !is_check {
            let mut packed = Vec::new();
            GzEncoder::new(&*built, Compression::best())
                .read_to_end(&mut packed)
                .and_then(|_| std::fs::write(&committed, packed))
                .map_err(failed)?;
            continue;
        }
        let mut known = Vec::new();
        GzDecoder::new(&*read(&committed)?).read_to_end(&mut known).map_err(failed)?;
        if known != built {
            println!("{file} differs from the build of {package}: run `cargo xtask modules`");
            is_same = false;
        }
    }
    Ok(is_same)
}

fn build(root: &Path, target_folder: &Path, package: &str) -> Result<(), Error> {
    let fail = |reason: String| Error::Command {
        command: format!("cargo rustc -p {package} --target {TARGET}"),
        reason,
    };
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["rustc", "--quiet", "--locked", "--lib", "--crate-type", "cdylib", "--profile", "wasm"])
        .args(["--target", TARGET, "--package", package, "--target-dir"])
        .arg(target_folder)
        .current_dir(root)
        // Flags of the build around this one would change the module, and so would the folders of this
        // machine.
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_ENCODED_RUSTFLAGS", without_folders(root))
        .env_remove("CARGO_PROFILE_WASM_LTO")
        .status();
    match status.map_err(|error| fail(error.to_string()))? {
        status if status.success() => Ok(()),
        status => Err(fail(format!("ended with {status}. It needs `rustup target add {TARGET}`"))),
    }
}

/// Flags that keep the folders of packages out of the messages of panics.
fn without_folders(root: &Path) -> String {
    let cargo_home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).unwrap_or_default();
    [(root, "/spindrift"), (&*cargo_home, "/cargo")]
        .map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()))
        .join("\u{1f}")
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(Error::file(path))
}
