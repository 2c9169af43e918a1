//! The manifests of the workspace.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use spindrift_manifest::{Manifest, Routes};
use spindrift_native::Use;

/// Values of application variables by name.
pub(crate) use spindrift_manifest::Values as Variables;

pub fn workspace() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().expect("the tests are in the workspace").to_owned()
}

/// The folder into which cargo builds.
pub(crate) fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace().join("target"), PathBuf::from)
}

pub(crate) const SERVICE: &str = "spin.toml";
/// The fast build of the service.
pub(crate) const FAST: &str = "deploy/fast/spin.toml";
pub(crate) const EDGE: &str = "deploy/edge/spin.toml";
/// The components of the service that an edge is made of. The last one has all other paths.
const EDGE_PARTS: [&str; 3] = ["check", "feeds", "responses"];

/// Reads one of the workspace's manifests.
pub(crate) fn read(path: &str) -> Manifest {
    Manifest::read(&workspace().join(path)).expect("a valid manifest")
}

/// The manifest of an edge for the native program, which has no component for an edge: with the service's
/// components instead, each with the grants of the edge's own.
pub(crate) fn edge_of_parts() -> Manifest {
    let mut manifest = read(EDGE);
    let (_, edge) = manifest.components.pop_first().expect("a component");
    let [.., rest] = EDGE_PARTS;
    manifest.routes = read(SERVICE).routes;
    manifest.routes.retain(|(_, component)| EDGE_PARTS.contains(&component.as_str()) && component != rest);
    manifest.routes.push(("/...".to_owned(), rest.to_owned()));
    manifest.components = EDGE_PARTS.map(|part| (part.to_owned(), edge.clone())).into();
    manifest
}

/// The service's manifest without one variable of a component.
pub(crate) fn without((component, variable): &Use) -> Manifest {
    let mut manifest = read(SERVICE);
    let section = manifest.components.get_mut(component).expect("the component");
    section.variables.remove(variable).expect("the variable");
    manifest
}

/// The component for a path in `spin.toml`.
pub fn component_of(path: &str) -> Option<String> {
    let routes = Routes::new(&read(SERVICE).routes).expect("valid routes");
    routes.find(path).map(|found| found.component().to_owned())
}

/// The grants of the service's components: pairs of a component, and a variable or a key of its section.
pub fn granted_by_service() -> BTreeSet<Use> {
    granted(&read(SERVICE))
}

/// Like [`granted_by_service`], for an edge.
pub fn granted_by_edge() -> BTreeSet<Use> {
    granted(&read(EDGE))
}

/// Pairs of a component, and a variable or a key of its section.
pub(crate) fn granted(manifest: &Manifest) -> BTreeSet<Use> {
    let mut all = BTreeSet::new();
    for (id, section) in &manifest.components {
        let names = section.variables.keys().cloned().chain(section.granted_keys().map(str::to_owned));
        all.extend(names.map(|name| (id.clone(), name)));
    }
    all
}
