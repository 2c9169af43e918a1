//! The workspace as `cargo metadata` describes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::error::{Error, read_toml};

/// The `target` of dependencies that may include the Spin SDK.
const WASM: &str = "cfg(target_family = \"wasm\")";

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Workspace {
    pub(crate) packages: Vec<Package>,
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
}

/// A package with the dependencies listed in its manifest.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) targets: Vec<Target>,
    /// Whether the manifest has `[lints] workspace = true`. Not part of cargo's metadata.
    #[serde(skip)]
    pub(crate) inherits_lints: bool,
}

/// A library, a program or a test.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Target {
    pub(crate) name: String,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct Dependency {
    /// The package's own name, even if the dependency is renamed.
    pub(crate) name: String,
    pub(crate) rename: Option<String>,
    /// `None` for a normal dependency, otherwise `dev` or `build`.
    pub(crate) kind: Option<String>,
    pub(crate) target: Option<String>,
    /// The folder of a local dependency.
    pub(crate) path: Option<PathBuf>,
}

impl Dependency {
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    /// Whether only builds for WebAssembly use it.
    pub(crate) fn is_wasm_only(&self) -> bool {
        self.target.as_deref() == Some(WASM)
    }

    /// The name of the crate in source code.
    pub(crate) fn identifier(&self) -> String {
        self.rename.as_deref().unwrap_or(&self.name).replace('-', "_")
    }
}

impl Package {
    /// The folder of the manifest.
    pub(crate) fn folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new("."))
    }
}

impl Workspace {
    /// Asks cargo for the workspace of the current folder.
    pub(crate) fn read() -> Result<Self, Error> {
        let fail = |reason| Error::Command { command: "cargo metadata".to_owned(), reason };
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .map_err(|error| fail(error.to_string()))?;
        if !output.status.success() {
            return Err(fail(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        let mut workspace: Self =
            serde_json::from_slice(&output.stdout).map_err(|error| fail(error.to_string()))?;
        for package in &mut workspace.packages {
            package.inherits_lints = inherits_lints(&package.manifest_path)?;
        }
        Ok(workspace)
    }

    /// Whether a dependency is a package of the workspace.
    pub(crate) fn has(&self, dependency: &Dependency) -> bool {
        dependency.path.is_some() && self.packages.iter().any(|package| package.name == dependency.name)
    }

    /// A path relative to the root, with `/`.
    pub(crate) fn relative(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
    }

    /// Whether a package is a component of the service.
    pub(crate) fn is_component(&self, package: &Package) -> bool {
        self.relative(package.folder()).starts_with("components/")
    }
}

fn inherits_lints(manifest: &Path) -> Result<bool, Error> {
    let manifest: toml::Table = read_toml(manifest)?;
    let inherits = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    Ok(inherits.and_then(toml::Value::as_bool) == Some(true))
}
