//! The manifest of the fast build: that of the service, with the components that answer installed copies
//! built for WASI 0.3.

use spindrift_settings::SettingsSection;
use toml_edit::{DocumentMut, Item, Table, value};

use super::manifest;
use crate::declarations::Component;

/// How each component with the feature `preview3` is built: by itself, so that Cargo optimises it at link time.
const FAST_BUILD: &str = "cargo rustc --profile wasm --target wasm32-wasip2 --crate-type cdylib --features preview3 \
                          --target-dir target/preview3";
/// From the manifest's folder to the workspace.
const UP: &str = "../..";
const HEADING: &str = "\
# The fast build, for Spin 4.1 and later: as ../../spin.toml, from which `cargo xtask settings`
# writes this file, but the components that answer installed copies are built for WASI 0.3.0 and answer many requests with one
# instance.
# Spin 4.0 and earlier cannot load it. They say that `wasi:http/types@0.3.0` was not found in the linker: use ../../spin.toml.
# Behind a proxy that keeps connections to Spin open, answers are late: use ../../spin.toml there too (docs/operations.md).
#   spin up --from deploy/fast/spin.toml --build
";

/// The manifest, made from that of the service.
pub(super) fn write(text: &str, table: &[SettingsSection], declared: &[Component]) -> Result<String, String> {
    let text = manifest::write_service(text, table, declared)?;
    let start = text.find("spin_manifest_version").ok_or("no spin_manifest_version")?;
    let mut document: DocumentMut = text[start..].parse().map_err(|error| format!("{error}"))?;
    let components = document.get_mut("component").and_then(Item::as_table_mut).ok_or("no [component]")?;
    for (name, component) in components.iter_mut() {
        let component = component.as_table_mut().ok_or_else(|| format!("no [component.{name}]"))?;
        let is_fast = declared.iter().any(|component| component.is_fast && component.name == name.get());
        let command = is_fast.then(|| format!("{FAST_BUILD} -p component-{name}"));
        move_to_folder(component, command).ok_or_else(|| format!("no build of {name}"))?;
    }
    Ok(format!("{HEADING}{document}"))
}

/// `fast`: the command of a component's fast build.
fn move_to_folder(component: &mut Table, fast: Option<String>) -> Option<()> {
    let source = component.get("source")?.as_str()?;
    let source =
        if fast.is_some() { source.replacen("target/", "target/preview3/", 1) } else { source.to_owned() };
    component["source"] = value(format!("{UP}/{source}"));
    let build = component.get_mut("build")?.as_table_mut()?;
    if let Some(command) = fast {
        build["command"] = value(command);
    }
    build["workdir"] = value(UP);
    build.remove("watch");
    Some(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use spindrift_settings::SECTIONS;

    use super::*;
    use crate::declarations;

    #[test]
    fn only_components_for_installed_copies_are_built_otherwise() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let text = std::fs::read_to_string(root.join("spin.toml")).unwrap();
        let declared = declarations::read(root).unwrap();
        let written = write(&text, &SECTIONS, &declared).unwrap();
        let document: DocumentMut = written.parse().unwrap();
        let components = document["component"].as_table().unwrap();
        for Component { name, is_fast, .. } in declared.into_iter().filter(Component::is_of_service) {
            let component = &components[&name];
            let (source, build) = (component["source"].as_str().unwrap(), &component["build"]);
            assert_eq!(source.contains("/preview3/"), is_fast, "{name}");
            assert_eq!(build["command"].as_str().unwrap().contains("--features preview3"), is_fast, "{name}");
            assert_eq!(build["workdir"].as_str(), Some("../.."), "{name}");
        }
        assert!(write("[variables]\n", &SECTIONS, &[]).is_err());
    }
}
