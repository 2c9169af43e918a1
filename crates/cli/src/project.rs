//! `spindrift.toml`: defaults for the commands in a project's folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Command;
use serde::Deserialize;

use crate::error::CliError;

const FILE: &str = "spindrift.toml";
/// The folder that marks the top of a project. Files above it belong to other projects.
const TOP: &str = ".git";

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Project {
    app: Option<String>,
    channel: Option<String>,
    platform: Option<String>,
    arch: Option<String>,
    url: Option<String>,
}

impl Project {
    /// Reads the file of the project around `folder`. Without a file, nothing is set.
    pub(crate) fn of(folder: &Path) -> Result<Self, CliError> {
        let Some(path) = find(folder) else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(&path).map_err(CliError::file(&path))?;
        toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            CliError::usage(format!("{}, line {line}: {}", path.display(), error.message()))
        })
    }

    /// Makes the values the defaults of all flags that an environment variable can also set.
    pub(crate) fn fill(&self, command: Command) -> Command {
        let values = [
            ("SPINDRIFT_APP", &self.app),
            ("SPINDRIFT_CHANNEL", &self.channel),
            ("SPINDRIFT_PLATFORM", &self.platform),
            ("SPINDRIFT_ARCH", &self.arch),
            ("SPINDRIFT_URL", &self.url),
        ];
        let given = values.into_iter().filter_map(|(variable, value)| Some((variable, value.as_deref()?)));
        fill(command, &given.collect::<Vec<_>>())
    }
}

fn fill(command: Command, values: &[(&str, &str)]) -> Command {
    command
        .mut_args(|arg| {
            let variable = arg.get_env().and_then(OsStr::to_str);
            match values.iter().find(|(name, _)| variable == Some(*name)) {
                Some((_, value)) => {
                    arg.required(false).hide_default_value(false).default_value((*value).to_owned())
                }
                None => arg,
            }
        })
        .mut_subcommands(|inner| fill(inner, values))
}

/// The nearest file, in this folder or above it, but not outside the project.
fn find(folder: &Path) -> Option<PathBuf> {
    let top = folder.ancestors().find(|above| above.join(TOP).exists());
    let inside =
        folder.ancestors().take_while(|above| top.map_or(*above == folder, |top| above.starts_with(top)));
    inside.map(|above| above.join(FILE)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, text: &str) {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(folder.join(FILE), text).unwrap();
    }

    #[test]
    fn the_nearest_file_of_the_project_counts() {
        let root = tempfile::tempdir().unwrap();
        let (project, inner) = (root.path().join("project"), root.path().join("project/a/b"));
        std::fs::create_dir_all(&inner).unwrap();
        let app = |folder: &Path| Project::of(folder).unwrap().app;
        write(root.path(), "app = \"outside\"");
        assert_eq!(app(&inner), None);
        std::fs::create_dir(project.join(TOP)).unwrap();
        assert_eq!(app(&inner), None, "it belongs to somebody else");
        write(&project, "app = \"notes\"");
        assert_eq!(app(&inner).as_deref(), Some("notes"));
        write(&project.join("a"), "app = \"other\"");
        assert_eq!(app(&inner).as_deref(), Some("other"));
        assert_eq!(app(&project).as_deref(), Some("notes"));
        assert_eq!(app(root.path()).as_deref(), Some("outside"));
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "app = \"notes\"\nchanel = \"stable\"\n");
        let error = Project::of(root.path()).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("chanel") && error.contains("channel"), "{error}");
    }

    #[test]
    fn values_are_defaults_only() {
        let project =
            Project { app: Some("notes".into()), channel: Some("beta".into()), ..Project::default() };
        let matches = |arguments: &str| {
            let words = arguments.split(' ');
            project.fill(crate::command()).try_get_matches_from(words).unwrap()
        };
        let check = matches("spindrift check 1.0 --channel stable");
        let (_, check) = check.subcommand().unwrap();
        let value = |name: &str| check.get_one::<String>(name).map(String::as_str);
        assert_eq!(
            (value("app"), value("channel"), value("platform")),
            (Some("notes"), Some("stable"), Some(""))
        );
        let refused =
            project.fill(crate::command()).try_get_matches_from(["spindrift", "token", "create", "ci"]);
        assert!(refused.is_err(), "the permissions of a token are given each time");
    }
}
