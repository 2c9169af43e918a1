//! Names of tests of the end-to-end suite, as pages write them: `module::inner::test`, or `module::` for all
//! of a module.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::Error;

const SUITE: &str = "tests/suite";
/// The file that lists its modules.
const MODULES: &str = "main.rs";
/// The modules that the harness makes for its drivers, which may precede a test or replace it.
const DRIVERS: [&str; 3] = ["in_process", "embedded", "spin"];

/// The suite's folder and its modules.
pub(crate) struct Suite {
    folder: PathBuf,
    modules: BTreeSet<String>,
}

impl Suite {
    /// Reads the suite of the workspace in `root`. A workspace without a suite has no modules.
    pub(crate) fn read(root: &Path) -> Result<Self, Error> {
        let folder = root.join(SUITE);
        let main = folder.join(MODULES);
        let text = if main.exists() { read(&main)? } else { String::new() };
        let modules = text.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
        Ok(Self { modules: modules.map(str::to_owned).collect(), folder })
    }

    /// Whether a word is meant as the name of a test: it begins with a module of the suite.
    pub(crate) fn is_meant(&self, word: &str) -> bool {
        word.split_once("::").is_some_and(|(module, _)| self.modules.contains(module))
    }

    /// Whether the suite has this module, test or function.
    pub(crate) fn has(&self, name: &str) -> Result<bool, Error> {
        let parts = name.split("::").filter(|part| !part.is_empty() && !DRIVERS.contains(part));
        let parts: Vec<&str> = parts.collect();
        let file = |parts: &[&str]| self.folder.join(parts.join("/")).with_extension("rs");
        if file(&parts).exists() {
            return Ok(true);
        }
        let Some((test, modules)) = parts.split_last() else { return Ok(false) };
        let file = file(modules);
        let declares = |text: &str| {
            let mut lines = text.lines().map(str::trim_start);
            lines.any(|line| line.strip_prefix("fn ").is_some_and(|rest| begins_with_name(rest, test)))
        };
        Ok(!modules.is_empty() && file.exists() && declares(&read(&file)?))
    }
}

/// Whether the rest of a declaration is of the function with this name.
fn begins_with_name(rest: &str, name: &str) -> bool {
    rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(['(', '<']))
}

fn read(file: &Path) -> Result<String, Error> {
    std::fs::read_to_string(file).map_err(Error::file(file))
}
