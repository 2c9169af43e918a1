//! Runs the build commands of a manifest.

use std::collections::BTreeSet;
use std::process::Command;

use crate::error::HostError;
use crate::manifest::Manifest;

/// The compilation target of the components.
const TARGET: &str = "wasm32-wasip2";

/// Installs the WebAssembly target if it is missing, then runs every distinct build command of `manifest` in order and
/// shows its output.
///
/// # Errors
/// `HostError::Build` names the failed command, or the tool to install.
pub fn build(manifest: &Manifest) -> Result<(), HostError> {
    let mut done = BTreeSet::new();
    for (id, component) in &manifest.components {
        let Some(build) = &component.build else { continue };
        let folder = manifest.folder().join(build.workdir.as_deref().unwrap_or(".".as_ref()));
        for command in build.command.as_slice() {
            if !done.insert((folder.clone(), command.clone())) {
                continue;
            }
            if done.len() == 1 {
                install_target()?;
            }
            eprintln!("Building {id}: {command}");
            let status = shell(command)
                .current_dir(&folder)
                .envs(&build.environment)
                .status()
                .map_err(|error| HostError::Build(format!("`{command}`: {error}")))?;
            if !status.success() {
                return Err(HostError::Build(format!("`{command}` ended with {status}")));
            }
        }
    }
    Ok(())
}

fn shell(command: &str) -> Command {
    let (program, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let mut shell = Command::new(program);
    shell.args([flag, command]);
    shell
}

/// Makes sure that the WebAssembly target is installed; uses rustup to install it.
fn install_target() -> Result<(), HostError> {
    if target_is_usable() {
        return Ok(());
    }
    eprintln!("Installing the Rust target {TARGET}");
    match Command::new("rustup").args(["target", "add", TARGET]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(HostError::Build(format!("`rustup target add {TARGET}` ended with {status}"))),
        Err(_) => Err(HostError::Build(format!(
            "the Rust target {TARGET} is missing and there is no rustup to install it; install it, or use --no-build"
        ))),
    }
}

fn target_is_usable() -> bool {
    let output = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    if let Some(installed) = output("rustup", &["target", "list", "--installed"]) {
        return installed.lines().any(|line| line.trim() == TARGET);
    }
    output("rustc", &["--print", "target-libdir", "--target", TARGET])
        .is_some_and(|folder| std::path::Path::new(folder.trim()).is_dir())
}
