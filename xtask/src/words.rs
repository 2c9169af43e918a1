//! The refused words in `words.toml`, sentences that begin with a relative pronoun, and "is no" for "is not a".
//!
//! Words are refused in all texts, including names in code; sentences only in comments and in
//! Markdown.

mod negations;
mod prose;
mod refused;
mod sentences;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, read_toml};
use crate::metadata::Workspace;
use crate::sources::walk;
use refused::Phrases;

/// The file in the root. It is not checked, because it contains all the words.
const FILE: &str = "words.toml";
/// Hidden folders with texts. Others are not read.
const HIDDEN: [&str; 3] = [".cargo", ".ci", ".github"];

/// The whole file. The comments in it describe each key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    #[serde(default)]
    not_read: Vec<String>,
    #[serde(default)]
    sentence_starts: Vec<String>,
    #[serde(default)]
    after_is_no: Vec<String>,
    #[serde(default)]
    word: Vec<Word>,
}

/// Words, and what to use instead of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Word {
    refused: Vec<String>,
    use_instead: String,
    #[serde(default)]
    r#in: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

impl Word {
    fn is_refused_in(&self, path: &str) -> bool {
        (self.r#in.is_empty() || begins_with_any(path, &self.r#in)) && !begins_with_any(path, &self.except)
    }
}

impl Words {
    /// Every prefix in the file.
    fn prefixes(&self) -> impl Iterator<Item = &String> {
        self.not_read.iter().chain(self.word.iter().flat_map(|word| [&word.r#in, &word.except]).flatten())
    }

    /// The problems of a text, with their lines.
    fn problems(&self, phrases: &Phrases<&Word>, path: &str, text: &str) -> BTreeSet<(usize, String)> {
        let words = phrases.find(text).into_iter().filter(|(_, _, word)| word.is_refused_in(path));
        let words = words.map(|(line, said, word)| (line, format!("says {said}; say {}", word.use_instead)));
        let paragraphs = prose::paragraphs(path, text);
        let starts =
            paragraphs.iter().flat_map(|paragraph| sentences::relative(paragraph, &self.sentence_starts));
        let starts = starts.map(|(line, start)| {
            (line, format!("begins a sentence with {start}; begin with what it is about"))
        });
        let negations = negations::find(text, &self.after_is_no);
        let negations = negations.map(|(line, said)| (line, format!("says {said}; say that it is not one")));
        words.chain(starts).chain(negations).collect()
    }
}

/// One line for each refused word or sentence, and for each prefix in `words.toml` of no file.
pub(crate) fn check(workspace: &Workspace) -> Result<Vec<String>, Error> {
    let words: Words = read_toml(&workspace.root.join(FILE))?;
    let phrases =
        words.word.iter().flat_map(|word| word.refused.iter().map(move |said| (said.as_str(), word)));
    let phrases = Phrases::new(phrases);
    let files = files(&workspace.root)?;
    let paths: Vec<String> = files.iter().map(|file| workspace.relative(file)).collect();
    let stale = words.prefixes().filter(|prefix| !paths.iter().any(|path| path.starts_with(prefix.as_str())));
    let mut found: Vec<String> =
        stale.map(|prefix| format!("{FILE}: no file begins with {prefix}")).collect();
    for (file, path) in files.iter().zip(&paths) {
        if path == FILE || begins_with_any(path, &words.not_read) {
            continue;
        }
        if let Some(text) = read_text(file)? {
            let problems = words.problems(&phrases, path, &text);
            found.extend(problems.into_iter().map(|(line, problem)| format!("{path}:{line}: {problem}")));
        }
    }
    Ok(found)
}

fn files(root: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    let mut files = BTreeSet::new();
    let hidden = HIDDEN.iter().map(|name| root.join(name)).filter(|folder| folder.is_dir());
    for folder in [root.to_owned()].into_iter().chain(hidden) {
        walk(&folder, &mut |file| {
            files.insert(file);
        })?;
    }
    Ok(files)
}

/// `None`: the file is not text.
fn read_text(file: &Path) -> Result<Option<String>, Error> {
    let bytes = std::fs::read(file).map_err(Error::file(file))?;
    Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')))
}

fn begins_with_any(path: &str, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| path.starts_with(prefix.as_str()))
}
