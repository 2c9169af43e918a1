//! The features of the program's dependencies. Where they are those of the whole workspace, `cargo test` uses
//! what `cargo run` has compiled, and tests what users run.

use std::collections::BTreeSet;
use std::process::Command;

use crate::error::Error;

const PROGRAM: &str = "spindrift-cli";
/// The system whose builds share their dependencies.
const TARGET: &str = "x86_64-unknown-linux-gnu";
/// Kinds of dependencies of the program and of the workspace: what is linked, and what runs while building,
/// too. The same package can have different features for each.
const KINDS: [(&str, &str); 2] =
    [("normal,no-proc-macro", "normal,dev,no-proc-macro"), ("normal,build", "normal,build,dev")];

/// The packages that the program has with other features than the workspace, as `name version|features`.
pub(crate) fn differences() -> Result<BTreeSet<String>, Error> {
    let mut differences = BTreeSet::new();
    for (of_program, of_workspace) in KINDS {
        let workspace = packages(&["--workspace", "--edges", of_workspace])?;
        let program = packages(&["--package", PROGRAM, "--edges", of_program])?;
        differences.extend(program.difference(&workspace).cloned());
    }
    Ok(differences)
}

fn packages(selection: &[&str]) -> Result<BTreeSet<String>, Error> {
    let arguments =
        ["tree", "--locked", "--no-dedupe", "--prefix", "none", "--target", TARGET, "--format", "{p}|{f}"];
    let failed =
        |reason: String| Error::Command { command: format!("cargo tree {}", selection.join(" ")), reason };
    let output = Command::new(env!("CARGO")).args(arguments).args(selection).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| !line.is_empty())
        .map(without_place)
        .collect())
}

/// A line without the remarks between name and features: a path, or that it is a procedural macro.
fn without_place(line: &str) -> String {
    let (package, features) = line.split_once('|').unwrap_or((line, ""));
    let name = package.split_once(" (").map_or(package, |(name, _)| name);
    format!("{name}|{features}")
}
