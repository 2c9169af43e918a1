//! Finds the files to publish.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use spindrift_core::{FileName, MAX_FEED_BYTES, MAX_FEEDS_PER_UPLOAD, MAX_FILE_BYTES, MAX_FILES_PER_UPLOAD};

use crate::error::CliError;
use crate::output::bytes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LocalFile {
    pub(crate) path: PathBuf,
    /// Name of the file in the release.
    pub(crate) name: String,
    /// In bytes.
    pub(crate) length: u64,
}

/// The files of one release, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ReleaseFiles {
    /// Files sent to the storage.
    pub(crate) large: Vec<LocalFile>,
    /// Feed files, sent with `POST /upload/init`.
    pub(crate) feeds: Vec<LocalFile>,
}

/// Finds the files for paths and patterns.
pub(crate) fn find(patterns: &[String]) -> Result<ReleaseFiles, CliError> {
    let mut paths = BTreeSet::new();
    for pattern in patterns {
        paths.extend(expand(pattern)?);
    }
    let mut files = ReleaseFiles::default();
    let mut names = BTreeSet::new();
    for path in paths {
        let (file, is_feed) = inspect(&path)?;
        if !names.insert(file.name.clone()) {
            return Err(CliError::usage(format!(
                "two files are called {}: a release can have one",
                file.name
            )));
        }
        if is_feed { files.feeds.push(file) } else { files.large.push(file) }
    }
    for (kind, count, limit) in [
        ("files", files.large.len(), MAX_FILES_PER_UPLOAD),
        ("feed files", files.feeds.len(), MAX_FEEDS_PER_UPLOAD),
    ] {
        if count > limit {
            return Err(CliError::usage(format!(
                "{count} {kind}: an upload has at most {limit}, so use several"
            )));
        }
    }
    Ok(files)
}

/// The paths that match. An existing path is taken literally, even if it contains special
/// characters.
fn expand(pattern: &str) -> Result<Vec<PathBuf>, CliError> {
    if Path::new(pattern).exists() {
        return Ok(vec![PathBuf::from(pattern)]);
    }
    let found = glob::glob(pattern).map_err(|error| CliError::usage(format!("{pattern}: {error}")))?;
    let found: Vec<PathBuf> = found
        .collect::<Result<_, _>>()
        .map_err(|error| CliError::File { path: error.path().to_owned(), source: error.into() })?;
    let files: Vec<PathBuf> = found.into_iter().filter(|path| path.is_file()).collect();
    if files.is_empty() { Err(CliError::usage(format!("{pattern}: no such file"))) } else { Ok(files) }
}

/// The file at `path`, and whether it is a feed file.
fn inspect(path: &Path) -> Result<(LocalFile, bool), CliError> {
    let metadata = std::fs::metadata(path).map_err(CliError::file(path))?;
    if !metadata.is_file() {
        return Err(CliError::usage(format!("{} is not a file: try {}/*", path.display(), path.display())));
    }
    let name: FileName =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse().ok()).ok_or_else(
            || CliError::usage(format!("{}: no name for a published file: rename it", path.display())),
        )?;
    let is_feed = name.is_feed();
    let limit = if is_feed { MAX_FEED_BYTES } else { MAX_FILE_BYTES };
    if metadata.len() > limit {
        return Err(CliError::usage(format!("{}: larger than {}", path.display(), bytes(limit))));
    }
    Ok((LocalFile { path: path.to_owned(), name: name.as_str().to_owned(), length: metadata.len() }, is_feed))
}

impl ReleaseFiles {
    /// In bytes.
    pub(super) fn total(&self) -> u64 {
        self.large.iter().chain(&self.feeds).map(|file| file.length).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
        folder
    }

    fn names(files: &[LocalFile]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn patterns_find_files_and_feeds_are_told_apart() {
        let folder = folder(&["a-full.nupkg", "RELEASES", "latest.yml", "b[1].deb", "sub/c.deb"]);
        let pattern = |text: &str| folder.path().join(text).to_str().unwrap().to_owned();
        let files = find(&[pattern("*"), pattern("b[1].deb"), pattern("a-full.nupkg")]).unwrap();
        assert_eq!(names(&files.large), ["a-full.nupkg", "b[1].deb"]);
        assert_eq!(names(&files.feeds), ["RELEASES", "latest.yml"]);
        assert_eq!(files.total(), 12 + 8 + 10 + 8);
    }

    #[test]
    fn unpublishable_files_are_refused() {
        let folder = folder(&["a.deb", "sub/a.deb"]);
        let path = |text: &str| folder.path().join(text).to_str().unwrap().to_owned();
        for (given, message) in [
            (vec![path("*.rpm")], "no such file"),
            (vec![path("sub")], "not a file"),
            (vec![path("a.deb"), path("sub/a.deb")], "two files"),
            (vec![path("[")], "no such file"),
        ] {
            let error = find(&given).unwrap_err().to_string();
            assert!(error.contains(message) || given[0].ends_with('['), "{error}");
        }
    }
}
