//! The file of the running program.

use std::path::{Path, PathBuf};

use crate::error::CliError;

/// Folders of package managers, which would revert an update, and the commands that update a
/// program there.
const MANAGED: [(&str, &str); 4] = [
    ("/cellar/", "brew upgrade spindrift"),
    ("/nix/store/", "nix profile upgrade spindrift"),
    ("/scoop/apps/", "scoop update spindrift"),
    ("/winget/packages/", "winget upgrade Spindrift.Spindrift"),
];

/// The path of the program, with links resolved. Fails if a package manager has installed it.
pub(super) fn program() -> Result<PathBuf, CliError> {
    let path = std::env::current_exe()
        .map_err(|error| CliError::Other(format!("the path of this program is unknown: {error}")))?;
    let path = path.canonicalize().map_err(CliError::file(&path))?;
    match manager(&path) {
        Some(command) => {
            Err(CliError::usage(format!("{} belongs to a package manager: run `{command}`", path.display())))
        }
        None => Ok(path),
    }
}

/// The package manager's command for updating the program at this path.
fn manager(path: &Path) -> Option<&'static str> {
    let path = path.to_string_lossy().replace('\\', "/").to_lowercase();
    MANAGED.iter().find(|(folder, _)| path.contains(folder)).map(|(_, command)| *command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn package_managers_update_their_own_programs() {
        for (path, command) in [
            ("/opt/homebrew/Cellar/spindrift/0.1.0/bin/spindrift", Some("brew")),
            ("/nix/store/abc-spindrift-0.1.0/bin/spindrift", Some("nix")),
            (r"\\?\C:\Users\ada\scoop\apps\spindrift\0.1.0\spindrift.exe", Some("scoop")),
            (r"C:\Users\ada\AppData\Local\Microsoft\WinGet\Packages\Spindrift\spindrift.exe", Some("winget")),
            ("/home/ada/.local/bin/spindrift", None),
            ("/usr/local/bin/spindrift", None),
        ] {
            let found = manager(Path::new(path)).and_then(|command| command.split(' ').next());
            assert_eq!(found, command, "{path}");
        }
    }
}
