//! The rule that files do not import each other in circles: to understand one file of a circle, you
//! have to read all of them.
//!
//! A file uses another file if it names something defined there, even if it imports the name through a third
//! file.
//!
//! `cargo-modules dependencies --acyclic` cannot do this: it compares items, so a type and its own
//! constructor are already a circle to it (0.27).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FilePath, PathBuf};
use std::str::FromStr as _;

use proc_macro2::TokenStream;

use crate::error::Error;
use crate::layers::{Circle, Layers};
use crate::metadata::Workspace;
use crate::paths::{Named, Path, read};
use crate::pattern::matches_path;
use crate::sources::collect;

/// Maximum number of re-exports to follow.
const MAX_STEPS: usize = 8;

/// One line for each circle that `layers.toml` does not allow, and for each allowed circle that does not
/// exist.
pub(crate) fn check(layers: &Layers, workspace: &Workspace) -> Result<Vec<String>, Error> {
    let mut circles = BTreeSet::new();
    for package in &workspace.packages {
        for root in roots(&package.folder().join("src"))? {
            let files_of_crate = Crate::read(&root)?;
            circles.extend(files_of_crate.circles().into_iter().map(|files| {
                files.into_iter().map(|file| workspace.relative(file)).collect::<BTreeSet<String>>()
            }));
        }
    }
    let mut found = Vec::new();
    for files in &circles {
        if !layers.circle.iter().any(|allowed| allows(allowed, files)) {
            let files = files.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            found.push(format!("{files}: these files use each other in a circle"));
        }
    }
    for allowed in &layers.circle {
        let name = allowed.files.join(", ");
        if allowed.reason.trim().is_empty() {
            found.push(format!("layers.toml: {name}: a circle without a reason"));
        }
        if !circles.iter().any(|files| allows(allowed, files)) {
            found.push(format!("layers.toml: {name}: there is no such circle"));
        }
    }
    Ok(found)
}

/// Whether an entry of `layers.toml` covers all files of a circle.
fn allows(allowed: &Circle, files: &BTreeSet<String>) -> bool {
    files.iter().all(|file| allowed.files.iter().any(|pattern| matches_path(pattern, file)))
}

/// The root files of the crates in `src`: the library or else the program, and the programs in folders of
/// `bin`.
fn roots(src: &FilePath) -> Result<Vec<PathBuf>, Error> {
    let mut roots: Vec<PathBuf> = ["lib.rs", "main.rs"]
        .iter()
        .map(|name| src.join(name))
        .filter(|root| root.is_file())
        .take(1)
        .collect();
    let bin = src.join("bin");
    if bin.is_dir() {
        for entry in std::fs::read_dir(&bin).map_err(Error::file(&bin))? {
            let root = entry.map_err(Error::file(&bin))?.path().join("main.rs");
            roots.extend(root.is_file().then_some(root));
        }
    }
    Ok(roots)
}

/// The files of a crate by module, and the paths named in each.
struct Crate {
    files: BTreeMap<Path, PathBuf>,
    named: BTreeMap<Path, Named>,
}

impl Crate {
    fn read(root: &FilePath) -> Result<Self, Error> {
        let folder = root.parent().unwrap_or(FilePath::new("."));
        let mut all = BTreeSet::new();
        collect(folder, "rs", &mut all)?;
        let files: BTreeMap<Path, PathBuf> =
            all.into_iter().filter_map(|file| Some((module_of(&file, folder, root)?, file))).collect();
        let is_module = |path: &[String]| files.contains_key(path);
        let mut named = BTreeMap::new();
        for (module, file) in &files {
            let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
            let tokens = TokenStream::from_str(&text).map_err(|error| Error::invalid(file, &error))?;
            named.insert(module.clone(), read(tokens, module, &is_module));
        }
        let tests: Vec<Path> = named.values().flat_map(|named| named.test_modules.clone()).collect();
        named.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        Ok(Self { files, named })
    }

    /// The module that defines the item that a path names.
    fn target<'a>(&'a self, path: &'a [String]) -> &'a [String] {
        let mut path = path;
        for _ in 0..MAX_STEPS {
            let length = (0..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]));
            let (module, rest) = path.split_at(length.unwrap_or(0));
            let imported = rest.first().and_then(|name| self.named.get(module)?.imports.get(name));
            match imported {
                Some(further) if further != path => path = further,
                _ => return module,
            }
        }
        path
    }

    /// The sets of files that all use each other, directly or indirectly.
    fn circles(&self) -> Vec<BTreeSet<&FilePath>> {
        let uses: BTreeMap<&[String], BTreeSet<&[String]>> = self
            .named
            .iter()
            .map(|(module, named)| {
                let targets = named.paths.iter().map(|path| self.target(path));
                (module.as_slice(), targets.filter(|target| *target != module.as_slice()).collect())
            })
            .collect();
        let reached: BTreeMap<&[String], BTreeSet<&[String]>> =
            uses.keys().map(|module| (*module, reachable(module, &uses))).collect();
        let mut circles: Vec<BTreeSet<&FilePath>> = Vec::new();
        for (module, others) in &reached {
            let circle: BTreeSet<&FilePath> = others
                .iter()
                .filter(|other| reached.get(**other).is_some_and(|back| back.contains(module)))
                .filter_map(|other| self.files.get(*other).map(PathBuf::as_path))
                .collect();
            if circle.len() > 1 && !circles.contains(&circle) {
                circles.push(circle);
            }
        }
        circles
    }
}

/// All modules that `module` uses, directly or indirectly.
fn reachable<'a>(
    module: &[String],
    uses: &BTreeMap<&'a [String], BTreeSet<&'a [String]>>,
) -> BTreeSet<&'a [String]> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&[String]> = vec![module];
    while let Some(next) = open.pop() {
        for target in uses.get(next).into_iter().flatten() {
            if found.insert(*target) {
                open.push(target);
            }
        }
    }
    found
}

/// The module of a file: `a::b` for `a/b.rs`. `None` for files of other crates in the same folder.
fn module_of(file: &FilePath, folder: &FilePath, root: &FilePath) -> Option<Path> {
    if file == root {
        return Some(Path::new());
    }
    let path = file.strip_prefix(folder).ok()?.with_extension("");
    let segments: Path =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let is_other_crate = segments[0] == "bin" || segments == ["main"];
    (!is_other_crate).then_some(segments)
}
