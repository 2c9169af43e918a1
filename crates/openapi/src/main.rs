//! Writes the OpenAPI document and the page to read it, or compares them with the committed files
//! (`--check`).

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_check = match arguments.as_slice() {
        [] => false,
        [argument] if argument == "--check" => true,
        _ => {
            eprintln!("usage: cargo xtask openapi [--check]");
            return ExitCode::from(2);
        }
    };
    match run(is_check) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// `Ok(false)`: files differ, and their names have been printed.
fn run(is_check: bool) -> Result<bool, String> {
    let document = spindrift_openapi::document();
    let json = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())? + "\n";
    let page = spindrift_openapi::page(&document);
    let mut is_current = true;
    for (name, text) in [("openapi.json", json), ("index.html", page)] {
        let path = folder().join(name);
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        if known == text {
            continue;
        }
        if is_check {
            println!("components/docs/pages/{name}: differs from the components; run `cargo xtask openapi`");
            is_current = false;
        } else {
            std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
            println!("components/docs/pages/{name}: written");
        }
    }
    Ok(is_current)
}

/// The folder of the files that the component serves.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../components/docs/pages")
}
