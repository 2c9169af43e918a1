//! Reading the manifests.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The folder of this repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Names of the manifest files.
pub(crate) fn files() -> Vec<String> {
    let entries = std::fs::read_dir(root().join("deploy/spinkube")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| Path::new(name).extension() == Some("yaml".as_ref())).collect();
    names.sort();
    names
}

/// The manifests of one file.
pub(crate) fn read(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root().join("deploy/spinkube").join(file)).unwrap();
    serde_saphyr::from_multiple(&text).unwrap()
}

pub(crate) fn of_kind(kind: &str) -> Vec<Value> {
    let all = files().into_iter().flat_map(|file| read(&file));
    all.filter(|manifest| manifest["kind"] == kind).collect()
}

/// The manifest of a kind and name.
pub(crate) fn named(kind: &str, name: &str) -> Value {
    let mut found: Vec<Value> = of_kind(kind);
    found.retain(|manifest| manifest["metadata"]["name"] == name);
    assert_eq!(found.len(), 1, "{kind} {name}");
    found.remove(0)
}
