//! The features of dependencies. Where a build of one package has those of the build of many, it uses what the
//! other has compiled: `cargo test` tests what users run, and an edge compiles no dependency again.

use std::collections::BTreeSet;
use std::process::Command;

use crate::error::Error;

/// Follows what Cargo has printed before, with all its dependencies.
const REPEATED: &str = " (*)";

/// Two builds that share their dependencies.
struct Shared {
    /// The package that is also built alone.
    package: &'static str,
    /// The packages that are built together, as arguments of Cargo.
    many: &'static [&'static str],
    target: &'static str,
    /// The file that names the features which others need.
    file: &'static str,
    /// Kinds of dependencies of the package and of the many: what is linked, and what runs while building, too.
    /// The same package can have different features for each.
    kinds: [(&'static str, &'static str); 2],
}

const SHARED: [Shared; 2] = [
    Shared {
        package: "spindrift-cli",
        many: &["--workspace"],
        target: "x86_64-unknown-linux-gnu",
        file: "crates/cli/Cargo.toml",
        kinds: [("normal,no-proc-macro", "normal,dev,no-proc-macro"), ("normal,build", "normal,build,dev")],
    },
    Shared {
        package: "component-edge",
        many: &["--package", "component-*"],
        target: "wasm32-wasip2",
        file: "crates/spin/Cargo.toml",
        kinds: [("normal,no-proc-macro", "normal,no-proc-macro"), ("normal,build", "normal,build")],
    },
];

/// A dependency that has other features in the build of one package.
pub(crate) struct Difference {
    /// The file that can end it.
    pub(crate) file: &'static str,
    /// As `name version|features`.
    pub(crate) dependency: String,
}

/// The dependencies that would be compiled again.
pub(crate) fn differences() -> Result<Vec<Difference>, Error> {
    let mut differences = Vec::new();
    for Shared { package, many, target, file, kinds } in SHARED {
        let mut dependencies = BTreeSet::new();
        for (of_package, of_many) in kinds {
            let shared = packages(target, &[many, &["--edges", of_many]].concat())?;
            let alone = packages(target, &["--package", package, "--edges", of_package])?;
            dependencies.extend(alone.difference(&shared).cloned());
        }
        differences.extend(dependencies.into_iter().map(|dependency| Difference { file, dependency }));
    }
    Ok(differences)
}

fn packages(target: &str, selection: &[&str]) -> Result<BTreeSet<String>, Error> {
    let arguments = ["tree", "--locked", "--prefix", "none", "--target", target, "--format", "{p}|{f}"];
    let failed =
        |reason: String| Error::Command { command: format!("cargo tree {}", selection.join(" ")), reason };
    let output = Command::new(env!("CARGO")).args(arguments).args(selection).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter(|line| !line.is_empty() && !line.ends_with(REPEATED))
        .map(without_place)
        .collect())
}

/// A line without the remarks between name and features: a path, or that it is a procedural macro.
fn without_place(line: &str) -> String {
    let (package, features) = line.split_once('|').unwrap_or((line, ""));
    let name = package.split_once(" (").map_or(package, |(name, _)| name);
    format!("{name}|{features}")
}
