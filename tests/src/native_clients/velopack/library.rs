//! Velopack's libraries: each in its newest stable version, and in the oldest that applications still have.
//!
//! The libraries for Node, Python, C and C++ are the crate of their version with another interface, so the
//! oldest one for Node stands for the oldest crate, which would bring its own dependencies of that time.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::json;

use super::{Checked, VelopackApp};
use crate::packages::ClientPackage;

static NODE: ClientPackage = ClientPackage::node("velopack-node");
static PYTHON: ClientPackage = ClientPackage::python("velopack-python");
static PYTHON_OLDEST: ClientPackage = ClientPackage::python("velopack-python-oldest");

/// The error of a library that was built for a newer C library than that of this machine.
const OLD_MACHINE: &str = "GLIBC_";

/// A library. Its version is in the manifest of the tests or in a folder of `tests/clients`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The crate.
    Rust,
    /// The npm package.
    Node,
    /// The npm package, in its oldest version: the crate 0.0.1053.
    NodeOldest,
    /// The package for Python.
    Python,
    /// The package for Python, in its oldest version.
    PythonOldest,
}

/// An update that was downloaded.
#[derive(Debug, PartialEq, Eq)]
pub struct Updated {
    pub version: String,
    /// The package in the app's folder.
    pub package: Vec<u8>,
}

impl Library {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Rust, Self::Node, Self::NodeOldest, Self::Python, Self::PythonOldest];

    /// Checks for an update and downloads it. `Ok(None)`: there is none. `None`: the library does not run on
    /// this machine; then it has said so.
    pub fn update(self, app: &VelopackApp) -> Option<Result<Option<Updated>, String>> {
        match self {
            Self::Rust => Some(newest(app).map_err(|error| error.to_string())),
            Self::Node => scripted(app, &NODE, "update.mjs", "velopack"),
            Self::NodeOldest => scripted(app, &NODE, "update.mjs", "velopack-oldest"),
            Self::Python => scripted(app, &PYTHON, "update.py", "velopack"),
            Self::PythonOldest => scripted(app, &PYTHON_OLDEST, "update.py", "velopack"),
        }
    }
}

fn newest(app: &VelopackApp) -> Result<Option<Updated>, velopack::Error> {
    let installed = app.install()?;
    let Checked::Update(update) = installed.check()? else { return Ok(None) };
    let package = installed.download(&update)?;
    Ok(Some(Updated { version: update.TargetFullRelease.Version, package }))
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Failed { error: String },
    Done { version: Option<String> },
}

fn scripted(
    app: &VelopackApp,
    package: &'static ClientPackage,
    script: &str,
    library: &str,
) -> Option<Result<Option<Updated>, String>> {
    let package = package.available()?;
    let (layout, _folder) = app.lay_out().expect("a folder");
    let question = json!({
        "library": library,
        "url": app.base,
        "layout": {
            "RootAppDir": layout.RootAppDir,
            "UpdateExePath": layout.UpdateExePath,
            "PackagesDir": layout.PackagesDir,
            "ManifestPath": layout.ManifestPath,
            "CurrentBinaryDir": layout.CurrentBinaryDir,
            "IsPortable": layout.IsPortable,
        },
    });
    match serde_json::from_value(package.run(script, &question)).expect("an answer of the script") {
        Answer::Failed { error } if error.contains(OLD_MACHINE) => {
            println!("skipped: {library}: {error}");
            None
        }
        Answer::Failed { error } => Some(Err(error)),
        Answer::Done { version: None } => Some(Ok(None)),
        Answer::Done { version: Some(version) } => {
            Some(Ok(Some(Updated { package: downloaded(&layout.PackagesDir, &version), version })))
        }
    }
}

/// The package of a version. The one of the installed version may still be there.
fn downloaded(packages: &Path, version: &str) -> Vec<u8> {
    let mut paths =
        std::fs::read_dir(packages).expect("the packages").map(|entry| entry.expect("a file").path());
    let is_it = |path: &PathBuf| path.to_string_lossy().ends_with(&format!("-{version}-full.nupkg"));
    std::fs::read(paths.find(is_it).expect("the package")).expect("a file")
}
