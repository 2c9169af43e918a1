//! Running the build commands of a Spin manifest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::error::{Error, read_toml};

/// The part of `spin.toml` that defines how components are built.
#[derive(Debug, Deserialize)]
struct BuildManifest {
    component: BTreeMap<String, BuiltComponent>,
}

#[derive(Debug, Deserialize)]
struct BuiltComponent {
    build: Option<Build>,
}

#[derive(Debug, Deserialize)]
struct Build {
    command: Commands,
    #[serde(default)]
    workdir: PathBuf,
    #[serde(default)]
    environment: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Commands {
    One(String),
    Several(Vec<String>),
}

impl Commands {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(command) => std::slice::from_ref(command),
            Self::Several(commands) => commands,
        }
    }
}

/// Runs every distinct build command of a manifest, and stops at the first failure.
pub(crate) fn build(path: &Path) -> Result<(), Error> {
    let manifest: BuildManifest = read_toml(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut done = Vec::new();
    for build in manifest.component.values().filter_map(|component| component.build.as_ref()) {
        let folder = folder.join(&build.workdir);
        for command in build.command.as_slice() {
            let what = (folder.clone(), command.clone());
            if !done.contains(&what) {
                run(command, &folder, &build.environment)?;
                done.push(what);
            }
        }
    }
    Ok(())
}

fn run(command: &str, folder: &Path, environment: &BTreeMap<String, String>) -> Result<(), Error> {
    let fail = |reason: String| Error::Command { command: command.to_owned(), reason };
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    eprintln!("{command}");
    let status = Command::new(shell).args([flag, command]).current_dir(folder).envs(environment).status();
    match status.map_err(|error| fail(error.to_string()))? {
        status if status.success() => Ok(()),
        status => Err(fail(format!("ended with {status}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_runs_once_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        let manifest = folder.path().join("spin.toml");
        let text = "[component.a]\nsource = \"a\"\n[component.a.build]\ncommand = \"echo x >> log\"\n\
            [component.b.build]\ncommand = \"echo x >> log\"\n\
            [component.c.build]\ncommand = [\"echo $WORD >> log\"]\nworkdir = \"sub\"\nenvironment = { WORD = \"y\" }\n";
        std::fs::write(&manifest, text).unwrap();
        build(&manifest).unwrap();
        assert_eq!(std::fs::read_to_string(folder.path().join("log")).unwrap(), "x\n");
        assert_eq!(std::fs::read_to_string(folder.path().join("sub/log")).unwrap(), "y\n");
    }

    #[test]
    fn a_failing_command_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("spin.toml");
        std::fs::write(&manifest, "[component.a.build]\ncommand = \"exit 3\"\n").unwrap();
        let error = build(&manifest).unwrap_err().to_string();
        assert!(error.contains("`exit 3`") && error.contains('3'), "{error}");
    }
}
