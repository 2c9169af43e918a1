//! The imports of built components, compared with the grants of their manifests; and their size.

mod binary;
mod manifest;

use std::path::Path;

use self::binary::Binary;
use self::manifest::{Component, Manifest};
use crate::declarations;
use crate::error::Error;

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

/// The manifests whose components are built.
const MANIFESTS: [&str; 3] = ["spin.toml", "deploy/edge/spin.toml", "deploy/fast/spin.toml"];

/// The violations of the built components of all manifests. Prints each one's size and imports.
pub(crate) fn check(root: &Path) -> Result<Vec<String>, Error> {
    let declared = declarations::read(root)?;
    let mut problems = Vec::new();
    for path in MANIFESTS {
        let manifest = Manifest::read(&root.join(path))?;
        for (name, component) in &manifest.components {
            let binary = Binary::read(&component.source)?;
            println!("{path} {name}: {} KiB, {} interfaces", binary.kib(), binary.imports.len());
            let max_kib =
                declared.iter().find(|component| component.name == *name).map(|found| found.max_kib);
            let mut found = against_grants(&binary, component);
            found.extend(against_budget(&binary, max_kib));
            problems.extend(found.into_iter().map(|problem| format!("{path}: {name}: {problem}")));
        }
    }
    Ok(problems)
}

/// The component is no larger than it declares.
fn against_budget(binary: &Binary, max_kib: Option<usize>) -> Option<String> {
    let kib = binary.kib();
    match max_kib {
        None => Some("components/ has no folder for it".to_owned()),
        Some(max) if kib > max => Some(format!("it has {kib} KiB; the `max_kib` in its Cargo.toml is {max}")),
        Some(_) => None,
    }
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
    fn a_component_keeps_to_its_size() {
        let binary = Binary { bytes: 10 * 1024 + 1, imports: Vec::new() };
        assert_eq!(against_budget(&binary, Some(11)), None);
        assert!(against_budget(&binary, Some(10)).unwrap().contains("11 KiB"));
        assert!(against_budget(&binary, None).is_some());
    }
}
