//! The rules about source text: which files may name a crate, and that exceptions for unsafe code need a
//! reason.
//!
//! Files are read as Rust tokens, so comments and string literals do not count, and macros do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use proc_macro2::{TokenStream, TokenTree};

use crate::error::Error;
use crate::layers::Layers;
use crate::metadata::Workspace;
use crate::pattern::{matches_any, matches_path};

/// Attributes that lift or weaken a lint.
const ALLOWANCES: [&str; 3] = ["allow", "expect", "warn"];
/// The lint for which these attributes need a reason.
const UNSAFE: &str = "unsafe_code";

/// One line for each violation.
pub(crate) fn check(layers: &Layers, workspace: &Workspace) -> Result<Vec<String>, Error> {
    let reserved = reserved_names(layers, workspace);
    let mut files = BTreeSet::new();
    for package in &workspace.packages {
        collect(package.folder(), "rs", &mut files)?;
    }
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(Error::file(&file))?;
        let path = workspace.relative(&file);
        let tokens = TokenStream::from_str(&text).map_err(|error| Error::invalid(&file, &error))?;
        let mut scan = Scan { reserved: &reserved, path: &path, found: Vec::new() };
        scan.tokens(&tokens.into_iter().collect::<Vec<_>>());
        found.append(&mut scan.found);
    }
    Ok(found)
}

/// The crates that only some files may name, by their names in source code, with those files.
fn reserved_names(layers: &Layers, workspace: &Workspace) -> BTreeMap<String, Vec<String>> {
    let mut names = BTreeMap::new();
    for outside in &layers.outside {
        let Some(files) = &outside.named_in else { continue };
        for name in outside.crates.iter().filter(|name| !name.ends_with('*')) {
            names.insert(name.replace('-', "_"), files.clone());
        }
        let dependencies = workspace.packages.iter().flat_map(|package| &package.dependencies);
        for dependency in dependencies.filter(|d| matches_any(&outside.crates, &d.name)) {
            names.insert(dependency.identifier(), files.clone());
        }
    }
    names
}

/// Collects every file below `folder` whose name has this ending, without build output. Packages may be
/// nested, so files go into a set.
pub(crate) fn collect(folder: &Path, ending: &str, files: &mut BTreeSet<PathBuf>) -> Result<(), Error> {
    walk(folder, &mut |path| {
        if path.extension().is_some_and(|extension| extension == ending) {
            files.insert(path);
        }
    })
}

/// Takes every file below `folder`, without build output and hidden folders.
pub(crate) fn walk(folder: &Path, take: &mut impl FnMut(PathBuf)) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let entry = entry.map_err(Error::file(folder))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(Error::file(&path))?;
        let is_made = name == "target" || name == "node_modules" || name.to_string_lossy().starts_with('.');
        if kind.is_dir() && !is_made {
            walk(&path, take)?;
        } else if kind.is_file() {
            take(path);
        }
    }
    Ok(())
}

struct Scan<'a> {
    reserved: &'a BTreeMap<String, Vec<String>>,
    path: &'a str,
    found: Vec<String>,
}

impl Scan<'_> {
    fn tokens(&mut self, tokens: &[TokenTree]) {
        for (i, token) in tokens.iter().enumerate() {
            match token {
                TokenTree::Ident(identifier) => {
                    let name = identifier.to_string();
                    let line = identifier.span().start().line;
                    self.name(&name, line);
                    if let (true, Some(TokenTree::Group(arguments))) =
                        (ALLOWANCES.contains(&name.as_str()), tokens.get(i + 1))
                    {
                        self.allowance(&arguments.stream(), line);
                    }
                }
                TokenTree::Group(group) => self.tokens(&group.stream().into_iter().collect::<Vec<_>>()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn name(&mut self, name: &str, line: usize) {
        let name = name.strip_prefix("r#").unwrap_or(name);
        let Some(files) = self.reserved.get(name) else { return };
        if !files.iter().any(|pattern| matches_path(pattern, self.path)) {
            self.found.push(format!(
                "{}:{line}: names {name}, which only {} may",
                self.path,
                files.join(", ")
            ));
        }
    }

    fn allowance(&mut self, arguments: &TokenStream, line: usize) {
        let names: Vec<String> = arguments.clone().into_iter().map(|token| token.to_string()).collect();
        let says_why = |text: &str| !text.trim_matches(['"', ' ']).is_empty();
        let reason = names.windows(3).any(|w| w[0] == "reason" && w[1] == "=" && says_why(&w[2]));
        if names.iter().any(|name| name == UNSAFE) && !reason {
            self.found.push(format!("{}:{line}: allows {UNSAFE} without a reason", self.path));
        }
    }
}
