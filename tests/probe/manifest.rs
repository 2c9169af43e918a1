//! The location of the probe component, for all tests that run it.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use spin_host::build;
use spindrift_manifest::Manifest;
use tempfile::TempDir;

/// The manifest of the probe components, which are built once for all tests of a process.
pub(crate) fn manifest() -> &'static Path {
    static MANIFEST: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, path) = MANIFEST.get_or_init(|| {
        let root = root();
        let target = target();
        let text = std::fs::read_to_string(root.join("tests/probe/spin.toml")).unwrap();
        let text = text.replace("../../target", target.to_str().unwrap());
        let text = text.replace("workdir = \"../..\"", &format!("workdir = {:?}", root.to_str().unwrap()));
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("spin.toml");
        std::fs::write(&manifest, text).unwrap();
        build(&Manifest::read(&manifest).unwrap()).unwrap();
        (folder, manifest)
    });
    path
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The folder into which cargo builds.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
