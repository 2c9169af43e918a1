//! Checks the documentation against the repository: links have a target, and the things that commands name
//! exist, and so do tests of the suite.
//!
//! Not checked: external links, names with a placeholder, and code on pages about the past (the change log,
//! replaced decisions) or about another repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::markdown::{Page, Piece};
use crate::metadata::Workspace;
use crate::named_tests::Suite;
use crate::sources::collect;

/// Folders of the root. A word that begins with one of them is a path.
const FOLDERS: [&str; 12] = [
    ".ci",
    "bench",
    "components",
    "crates",
    "deploy",
    "docs",
    "fuzz",
    "kits",
    "sql",
    "tests",
    "wit",
    "xtask",
];
/// Texts that mark a word as a placeholder.
const PLACEHOLDERS: [&str; 7] = ["*", "<", "{", "$", "...", "NNNN", "…"];
/// Pages whose code is about the past or about Spin's repository.
const ELSEWHERE: [&str; 3] = ["CHANGELOG.md", "docs/upstream.md", "wit/README.md"];

/// One line for each link without a target and each name of something that does not exist. `chores` is the
/// help text of this program.
pub(crate) fn check(workspace: &Workspace, chores: &str) -> Result<Vec<String>, Error> {
    let mut files = BTreeSet::new();
    collect(&workspace.root, "md", &mut files)?;
    let suite = Suite::read(&workspace.root)?;
    let mut found = Vec::new();
    for file in &files {
        let page = Page::read(file)?;
        let name = workspace.relative(file);
        let is_elsewhere = ELSEWHERE.contains(&name.as_str()) || page.is_replaced;
        for (line, piece) in &page.pieces {
            let problems = match piece {
                Piece::Link(link) => broken(workspace, file, link)?.into_iter().collect(),
                Piece::Code(_) if is_elsewhere => Vec::new(),
                Piece::Code(text) => {
                    [unknown(workspace, chores, text), unknown_tests(&suite, text)?].concat()
                }
            };
            found.extend(problems.into_iter().map(|problem| format!("{name}:{line}: {problem}")));
        }
    }
    Ok(found)
}

/// Why a link on the page in `file` is broken.
fn broken(workspace: &Workspace, file: &Path, link: &str) -> Result<Option<String>, Error> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(None);
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target: PathBuf = match path.strip_prefix('/') {
        _ if path.is_empty() => file.to_owned(),
        Some(path) => workspace.root.join(path),
        None => file.with_file_name("").join(path),
    };
    if !target.exists() {
        return Ok(Some(format!("the link {link} leads to no file")));
    }
    let is_page = target.extension().is_some_and(|extension| extension == "md");
    if anchor.is_empty() || !is_page || Page::read(&target)?.anchors.contains(anchor) {
        return Ok(None);
    }
    Ok(Some(format!("the link {link} leads to no heading")))
}

/// The names in a piece of code that do not exist.
fn unknown(workspace: &Workspace, chores: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().map(bare).collect();
        for (place, word) in words.iter().enumerate() {
            if PLACEHOLDERS.iter().any(|placeholder| word.contains(placeholder)) {
                continue;
            }
            let before = |back: usize| place.checked_sub(back).and_then(|place| words.get(place)).copied();
            let of_cargo = words[..place].contains(&"cargo");
            let problem = match before(1) {
                Some("xtask") if before(2) == Some("cargo") => {
                    let is_chore = chores.lines().any(|line| line.split_whitespace().next() == Some(word));
                    (!is_chore).then(|| format!("cargo xtask has no command {word}"))
                }
                Some("-p" | "--package") if of_cargo => (!workspace.packages.iter().any(|p| p.name == *word))
                    .then(|| format!("no package is called {word}")),
                Some("--bin" | "--test" | "--example") if of_cargo => {
                    let mut targets = workspace.packages.iter().flat_map(|package| &package.targets);
                    (!targets.any(|target| target.name == *word)).then(|| format!("cargo builds no {word}"))
                }
                _ => (names_a_path(word) && !workspace.root.join(word).exists())
                    .then(|| format!("there is no {word}")),
            };
            found.extend(problem);
        }
    }
    found
}

/// The names of tests in a piece of code that the suite does not have.
fn unknown_tests(suite: &Suite, text: &str) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for word in text.split_whitespace().map(bare_end).filter(|word| suite.is_meant(word)) {
        if !suite.has(word)? {
            found.push(format!("the suite has no {word}"));
        }
    }
    Ok(found)
}

/// A word without punctuation around it. A colon at its end may belong to the name of a module.
fn bare_end(word: &str) -> &str {
    word.trim_matches(|sign: char| matches!(sign, '"' | '\'' | '(' | ')' | ',' | ';' | '`'))
}

/// A word without surrounding punctuation.
fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| matches!(sign, '"' | '\'' | '(' | ')' | ',' | ';' | ':' | '`'))
}

fn names_a_path(word: &str) -> bool {
    word.split_once('/').is_some_and(|(folder, rest)| FOLDERS.contains(&folder) && !rest.is_empty())
}
