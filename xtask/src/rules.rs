//! The rules about packages and their dependencies.

use crate::layers::{Layer, Layers, Outside};
use crate::metadata::{Dependency, Package, Workspace};
use crate::pattern::{matches, matches_any};

/// One line for each violation.
pub(crate) fn check(layers: &Layers, workspace: &Workspace) -> Vec<String> {
    let mut found = unknown_names(layers, workspace);
    for package in &workspace.packages {
        if !package.inherits_lints {
            found.push(format!("{}: its manifest has no `[lints] workspace = true`", package.name));
        }
        match layers.of(&package.name).as_slice() {
            [layer] => found.extend(dependencies(package, layer, layers, workspace)),
            [] => found.push(format!("{}: no layer of layers.toml has it", package.name)),
            _ => found.push(format!("{}: more than one layer of layers.toml has it", package.name)),
        }
    }
    found
}

/// A name that matches no package is a spelling mistake, or a rule for a package that was removed.
fn unknown_names(layers: &Layers, workspace: &Workspace) -> Vec<String> {
    let is_unknown =
        |pattern: &&String| !workspace.packages.iter().any(|package| matches(pattern, &package.name));
    let mut unknown: Vec<_> = layers.package_patterns().filter(is_unknown).collect();
    unknown.sort_unstable();
    unknown.dedup();
    unknown.into_iter().map(|name| format!("layers.toml: no package is called {name}")).collect()
}

fn dependencies(package: &Package, layer: &Layer, layers: &Layers, workspace: &Workspace) -> Vec<String> {
    let mut found = Vec::new();
    for dependency in &package.dependencies {
        if workspace.has(dependency) {
            found.extend(inside(package, dependency, layer, workspace));
        } else {
            let reserved = layers.outside.iter().filter(|o| matches_any(&o.crates, &dependency.name));
            found.extend(reserved.filter_map(|outside| reserved_crate(package, dependency, outside)));
        }
    }
    found
}

fn inside(
    package: &Package,
    dependency: &Dependency,
    layer: &Layer,
    workspace: &Workspace,
) -> Option<String> {
    let (user, used) = (&package.name, &dependency.name);
    let to_component = workspace.packages.iter().any(|p| p.name == *used && workspace.is_component(p));
    if to_component && workspace.is_component(package) {
        return Some(format!("{user} -> {used}: a component never uses another component"));
    }
    if matches_any(&layer.uses, used) || (dependency.is_dev() && matches_any(&layer.uses_dev, used)) {
        return None;
    }
    match (matches_any(&layer.uses_wasm, used), dependency.is_wasm_only()) {
        (true, true) => None,
        (true, false) => Some(format!("{user} -> {used}: allowed in the WebAssembly build only")),
        (false, _) => Some(format!("{user} -> {used}: layers.toml does not allow it")),
    }
}

fn reserved_crate(package: &Package, dependency: &Dependency, outside: &Outside) -> Option<String> {
    let (user, used) = (&package.name, &dependency.name);
    if dependency.is_dev() && matches_any(&outside.used_dev, user) {
        return None;
    }
    if !matches_any(&outside.used_by, user) {
        return Some(format!("{user} -> {used}: reserved to {}", outside.used_by.join(", ")));
    }
    (outside.wasm_only && !dependency.is_wasm_only())
        .then(|| format!("{user} -> {used}: allowed in the WebAssembly build only"))
}
