//! Runs the build commands of a manifest.

use std::path::PathBuf;
use std::process::Command;

use crate::error::HostError;
use spindrift_http::log_line;
use spindrift_manifest::Manifest;

/// If set to `1`, nothing is built: the components in the target folder are used.
const NO_BUILD: &str = "SPINDRIFT_TEST_NO_BUILD";

/// A command of a manifest, and where and how it runs.
#[derive(PartialEq, Eq)]
struct Step<'a> {
    command: &'a str,
    folder: PathBuf,
    environment: Vec<(&'a str, &'a str)>,
}

/// Runs every distinct build command of `manifest` in order, shows its output, and says which of how many it
/// is. Does nothing if `SPINDRIFT_TEST_NO_BUILD=1` is set.
///
/// # Errors
/// `HostError::Build` names the failed command.
pub fn build(manifest: &Manifest) -> Result<(), HostError> {
    if std::env::var_os(NO_BUILD).is_some_and(|value| value == "1") {
        return Ok(());
    }
    let steps = steps(manifest);
    for (i, step) in steps.iter().enumerate() {
        log_line(&format!("Building components, step {} of {}: {}", i + 1, steps.len(), step.command));
        let status = shell(step.command)
            .current_dir(&step.folder)
            .envs(step.environment.iter().copied())
            .status()
            .map_err(|error| HostError::Build(format!("`{}`: {error}", step.command)))?;
        if !status.success() {
            return Err(HostError::Build(format!("`{}` ended with {status}", step.command)));
        }
    }
    Ok(())
}

/// The distinct commands. Components that share one, and so a build, name the same command.
fn steps(manifest: &Manifest) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    for build in manifest.components.values().filter_map(|component| component.build.as_ref()) {
        let folder = manifest.folder().join(build.workdir.as_deref().unwrap_or(".".as_ref()));
        let environment: Vec<_> =
            build.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        for command in build.commands() {
            let step = Step { command, folder: folder.clone(), environment: environment.clone() };
            if !steps.contains(&step) {
                steps.push(step);
            }
        }
    }
    steps
}

fn shell(command: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.args([flag, command]);
    shell
}
