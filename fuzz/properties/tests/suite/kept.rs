//! Kept inputs: those that reach most of each parser, and those that broke one once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use spindrift_fuzz_properties::ALL;

/// The folder `fuzz` of the repository.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Most bytes and files of all kept inputs: small enough for every clone of the repository.
const MAX_BYTES: usize = 300 * 1024;
const MAX_FILES: usize = 250;

/// The files of a folder. None: there is no such folder, as for a parser that nothing ever broke.
fn files(folder: &Path) -> Option<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).ok()?;
    Some(entries.map(|entry| entry.unwrap().path()).collect())
}

fn names(folder: &Path) -> BTreeSet<String> {
    let names = files(folder).unwrap_or_default().into_iter();
    names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

#[test]
fn kept_inputs_break_no_property() {
    let (mut count, mut bytes) = (0, 0);
    for (name, property) in ALL {
        let corpus = files(&folder().join("corpus").join(name)).unwrap_or_default();
        assert!(!corpus.is_empty(), "{name} has kept inputs");
        let mut is_read = false;
        for path in corpus.into_iter().chain(files(&folder().join("crashes").join(name)).unwrap_or_default())
        {
            let input = std::fs::read(&path).unwrap();
            (count, bytes) = (count + 1, bytes + input.len());
            // Shown if the property does not hold.
            println!("{}", path.display());
            is_read |= property(&input);
        }
        assert!(is_read, "{name} reads none of its kept inputs");
    }
    assert!(count <= MAX_FILES && bytes <= MAX_BYTES, "{count} files of {bytes} bytes are too many");
}

#[test]
fn every_property_has_a_fuzz_target() {
    let properties: BTreeSet<String> = ALL.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(names(&folder().join("targets/src")), properties);
    assert_eq!(names(&folder().join("corpus")), properties);
    assert!(names(&folder().join("crashes")).is_subset(&properties));
    let manifest = std::fs::read_to_string(folder().join("targets/Cargo.toml")).unwrap();
    for name in properties {
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"src/{name}.rs\"\n")), "{name}");
    }
}
