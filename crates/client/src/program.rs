//! The file of a program, which may be running.

use std::fs;
use std::io;
use std::path::Path;

/// Moves the file `new` to the path of `program`, which may be running. It must be in the same file
/// system, preferably in the same folder.
///
/// On Unix `new` gets the permissions of `program`, without set-user-ID and the like, and the path always
/// names one of the two. On Windows a running program can be renamed, but not overwritten: the old one stays
/// beside the new one, with the extension `old`, until the next replacement.
///
/// Blocks.
///
/// # Errors
///
/// The errors of the file system. The old program is then still at its path.
pub fn replace_program(program: &Path, new: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The new file may have another owner, to whom the other bits would apply.
        let mode = fs::metadata(program)?.permissions().mode() & 0o777;
        fs::set_permissions(new, fs::Permissions::from_mode(mode))?;
    }
    if cfg!(windows) { rename_aside(program, new) } else { fs::rename(new, program) }
}

/// Undoes the first step if the second one fails.
fn rename_aside(program: &Path, new: &Path) -> io::Result<()> {
    let old = program.with_extension("old");
    fs::rename(program, &old)?;
    fs::rename(new, program).or_else(|error| fs::rename(&old, program).and(Err(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_program() {
        for replace in [replace_program, rename_aside] {
            let folder = tempfile::tempdir().unwrap();
            let (program, new) = (folder.path().join("app"), folder.path().join("app.new"));
            fs::write(&program, "1").unwrap();
            assert!(replace(&program, &new).is_err(), "there is no new one");
            assert_eq!(fs::read_to_string(&program).unwrap(), "1");
            for version in ["2", "3"] {
                fs::write(&new, version).unwrap();
                replace(&program, &new).unwrap();
                assert_eq!(fs::read_to_string(&program).unwrap(), version);
                assert!(!new.exists());
            }
        }
    }

    #[test]
    fn a_program_that_is_renamed_aside_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (program, new) = (folder.path().join("app.exe"), folder.path().join("app.exe.new"));
        fs::write(&program, "1").unwrap();
        fs::write(&new, "2").unwrap();
        rename_aside(&program, &new).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("app.old")).unwrap(), "1");
    }

    #[cfg(unix)]
    #[test]
    fn the_new_program_may_be_run_by_the_same_users() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (program, new) = (folder.path().join("app"), folder.path().join("app.new"));
        for (before, after) in [(0o755, 0o755), (0o750, 0o750), (0o4755, 0o755)] {
            fs::write(&program, "1").unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(before)).unwrap();
            fs::write(&new, "2").unwrap();
            replace_program(&program, &new).unwrap();
            let mode = fs::metadata(&program).unwrap().permissions().mode();
            assert_eq!(mode & 0o7777, after, "{before:o}");
        }
    }
}
