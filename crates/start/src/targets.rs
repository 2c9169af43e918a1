//! The compilation targets that the components need.

use std::path::Path;
use std::process::Command;

/// The only list of targets. rustup reads it too, but only when it installs the toolchain.
const TOOLCHAIN: &str = include_str!("../../../rust-toolchain.toml");

/// Installs each target of `rust-toolchain.toml` that this toolchain lacks.
///
/// # Errors
/// A text that names the missing target and the command that installs it.
pub(crate) fn install_missing() -> Result<(), String> {
    for target in listed(TOOLCHAIN) {
        if !is_installed(target)? {
            install(target)?;
        }
    }
    Ok(())
}

/// The entries of `targets = ["...", ...]`.
fn listed(toolchain: &str) -> impl Iterator<Item = &str> {
    let line = toolchain.lines().find(|line| line.trim_start().starts_with("targets"));
    line.unwrap_or_default().split('"').skip(1).step_by(2)
}

/// Whether the compiler has the standard library of this target.
fn is_installed(target: &str) -> Result<bool, String> {
    let asked = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    let answer =
        asked.map_err(|error| format!("rustc: {error}. Install Rust with rustup: https://rustup.rs"))?;
    Ok(answer.status.success() && Path::new(String::from_utf8_lossy(&answer.stdout).trim()).is_dir())
}

fn install(target: &str) -> Result<(), String> {
    eprintln!("Installing the Rust target {target}");
    let problem = match Command::new("rustup").args(["target", "add", target]).status() {
        Ok(status) if status.success() => return Ok(()),
        Ok(status) => format!("rustup ended with {status}"),
        Err(error) => format!("rustup: {error}"),
    };
    Err(format!(
        "the components need the Rust target {target}, which could not be installed ({problem}). Install it with \
         `rustup target add {target}`, then start again. Without rustup, use your system's package for that target."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_the_toolchain_is_read() {
        assert_eq!(listed(TOOLCHAIN).collect::<Vec<_>>(), ["wasm32-wasip2"]);
        let several = "[toolchain]\nchannel = \"1\"\ntargets = [\"a\", \"b\"]\n";
        assert_eq!(listed(several).collect::<Vec<_>>(), ["a", "b"]);
    }
}
