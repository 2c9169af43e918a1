//! Writes the OpenAPI document, or compares it with the committed file (`--check`).

use std::path::Path;
use std::process::ExitCode;

use spindrift_openapi::routes;
use spindrift_web::describe::{document, lines};

/// The file that the component serves.
const FILE: &str = "components/docs/pages/openapi.json";

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

/// `Ok(false)`: the file differs, and its name has been printed.
fn run(is_check: bool) -> Result<bool, String> {
    let text = lines(&document(&routes()));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(FILE);
    if std::fs::read_to_string(&path).unwrap_or_default() == text {
        return Ok(true);
    }
    if is_check {
        println!("{FILE}: differs from the components; run `cargo xtask openapi`");
        return Ok(false);
    }
    std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{FILE}: written");
    Ok(true)
}
