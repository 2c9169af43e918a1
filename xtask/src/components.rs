//! The imports of built components, compared with their worlds in `wit/` and with the grants of their
//! manifests; and their size.

mod binary;
mod budget;
mod manifest;
mod worlds;

use std::path::Path;

use self::binary::Binary;
use self::budget::Budgets;
use self::manifest::{Component, Manifest};
use self::worlds::Worlds;
use crate::error::Error;

/// The worlds of components at an edge have names with this prefix.
const AT_EDGE: &str = "edge-";

/// The interfaces that Spin offers without a grant, besides those that a grant allows: packages of WASI.
const ALWAYS: [&str; 4] = ["wasi:cli/", "wasi:clocks/", "wasi:io/", "wasi:random/"];
/// The interface that makes a component one of Spin's.
const HTTP_TYPES: &str = "wasi:http/types";

/// The interfaces that each grant allows.
const GRANTS: [(&str, &str); 5] = [
    ("wasi:keyvalue/", "key_value_stores"),
    ("fermyon:spin/sqlite", "sqlite_databases"),
    ("fermyon:spin/variables", "variables"),
    ("wasi:http/outgoing-handler", "allowed_outbound_hosts"),
    ("wasi:http/client", "allowed_outbound_hosts"),
];

/// A manifest whose components are built, and the prefix of their worlds' names.
const MANIFESTS: [(&str, &str); 3] =
    [("spin.toml", ""), ("deploy/edge/spin.toml", AT_EDGE), ("deploy/fast/spin.toml", "")];

/// The violations of the built components of all manifests. Prints each one's size and imports.
pub(crate) fn check(root: &Path) -> Result<Vec<String>, Error> {
    let worlds = Worlds::read(&root.join("wit"))?;
    let budgets = Budgets::read(&root.join("wit/budgets.toml"))?;
    let mut problems = Vec::new();
    for (path, prefix) in MANIFESTS {
        let manifest = Manifest::read(&root.join(path))?;
        for (name, component) in &manifest.components {
            let binary = Binary::read(&component.source)?;
            let world = format!("{prefix}{name}");
            println!("{path} {name}: {} KiB, {} interfaces", binary.kib(), binary.imports.len());
            let found = [
                against_world(&binary, &world, &worlds),
                against_grants(&binary, component),
                budgets.check(name, binary.kib()),
            ];
            problems.extend(found.concat().into_iter().map(|problem| format!("{path}: {name}: {problem}")));
        }
    }
    Ok(problems)
}

/// The component imports exactly the interfaces of its world, besides WASI.
fn against_world(binary: &Binary, world: &str, worlds: &Worlds) -> Vec<String> {
    let Some(named) = worlds.imports(world) else { return vec![format!("wit/ has no world `{world}`")] };
    let imported: Vec<_> = binary.imports.iter().filter(|name| !is_of_wasi(name)).cloned().collect();
    let missing = |from: &[String], all: &[String], text: &str| -> Vec<String> {
        all.iter().filter(|name| !from.contains(name)).map(|name| format!("{text} {name}")).collect()
    };
    [missing(named, &imported, "its world lacks"), missing(&imported, named, "it never calls")].concat()
}

/// The component imports the interfaces that its manifest grants, and no others.
fn against_grants(binary: &Binary, component: &Component) -> Vec<String> {
    let mut problems = Vec::new();
    for name in &binary.imports {
        match GRANTS.iter().find(|(interface, _)| name.starts_with(interface)) {
            Some((_, grant)) if component.grants.contains(grant) => {}
            Some((_, grant)) => problems.push(format!("it imports {name} without `{grant}`")),
            None if is_always_there(name) => {}
            None => problems.push(format!("it imports {name}, which no grant allows")),
        }
    }
    for grant in &component.grants {
        let allows = |(interface, of): &(&str, &str)| {
            of == grant && binary.imports.iter().any(|name| name.starts_with(interface))
        };
        if !GRANTS.iter().any(allows) {
            problems.push(format!("`{grant}` is granted and never used"));
        }
    }
    problems
}

/// Whether an import belongs to WASI as Spin offers it, and so is in no world.
fn is_of_wasi(name: &str) -> bool {
    is_always_there(name) || name.starts_with("wasi:http/")
}

fn is_always_there(name: &str) -> bool {
    name.starts_with(HTTP_TYPES) || ALWAYS.iter().any(|package| name.starts_with(package))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(imports: &[&str]) -> Binary {
        Binary { bytes: 1, imports: imports.iter().map(|name| (*name).to_owned()).collect() }
    }

    fn granting(grants: &[&'static str]) -> Component {
        Component { source: "a.wasm".into(), grants: grants.iter().copied().collect() }
    }

    #[test]
    fn imports_are_granted_and_grants_are_used() {
        let all = [
            "wasi:keyvalue/store@0.2.0-draft2",
            "fermyon:spin/sqlite@2.0.0",
            "fermyon:spin/variables@2.0.0",
            "wasi:http/outgoing-handler@0.2.0",
            "wasi:http/types@0.2.0",
            "wasi:io/poll@0.2.0",
        ];
        let every = GRANTS.map(|(_, grant)| grant);
        assert_eq!(against_grants(&binary(&all), &granting(&every)), [""; 0]);
        assert_eq!(against_grants(&binary(&all), &granting(&[])).len(), 4);
        assert_eq!(against_grants(&binary(&[]), &granting(&every)).len(), 4);
        assert_eq!(against_grants(&binary(&["wasi:filesystem/types@0.2.0"]), &granting(&[])).len(), 1);
    }

    #[test]
    fn a_world_names_exactly_what_is_called() {
        let worlds = Worlds::of([("a", &["x:y/z@1.0.0"][..])]);
        assert_eq!(against_world(&binary(&["x:y/z@1.0.0", "wasi:io/poll@0.2.0"]), "a", &worlds), [""; 0]);
        assert_eq!(against_world(&binary(&[]), "a", &worlds), ["it never calls x:y/z@1.0.0"]);
        let more = binary(&["x:y/z@1.0.0", "x:y/w@1.0.0"]);
        assert_eq!(against_world(&more, "a", &worlds), ["its world lacks x:y/w@1.0.0"]);
        assert_eq!(against_world(&more, "b", &worlds).len(), 1);
    }
}
