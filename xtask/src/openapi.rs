//! `cargo xtask openapi`: the description of the interface.

use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// The package that writes the description. It has all components, so it is run rather than linked: the other
/// commands need not wait until these are compiled.
const PACKAGE: &str = "spindrift-openapi";

/// Runs the package. `Ok(false)`: the committed files differ, or the arguments are wrong; the
/// package has printed which.
pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<bool, Error> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["run", "--quiet", "--package", PACKAGE, "--"]).args(arguments).current_dir(root);
    let status = command.status().map_err(|error| Error::Command {
        command: format!("cargo run --package {PACKAGE}"),
        reason: error.to_string(),
    })?;
    Ok(status.success())
}
