//! Replaces a running program with another file.

use std::fs;
use std::io;
use std::path::Path;

/// Moves `new` to the path `program`, and keeps the old program as `<program>.old`.
///
/// A running program can be renamed on every system, but on Windows it cannot be overwritten. If the second step fails,
/// the first is undone, so that there is always a program.
pub(crate) fn replace(program: &Path, new: &Path) -> io::Result<()> {
    #[cfg(unix)]
    fs::set_permissions(new, fs::metadata(program)?.permissions())?;
    let old = program.with_extension("old");
    fs::rename(program, &old)?;
    fs::rename(new, program).or_else(|error| fs::rename(&old, program).and(Err(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_program() {
        let folder = tempfile::tempdir().unwrap();
        let (program, new) = (folder.path().join("app"), folder.path().join("app.new"));
        fs::write(&program, "1").unwrap();
        assert!(replace(&program, &new).is_err(), "there is no new one");
        assert_eq!(fs::read_to_string(&program).unwrap(), "1");
        fs::write(&new, "2").unwrap();
        replace(&program, &new).unwrap();
        assert_eq!(fs::read_to_string(&program).unwrap(), "2");
        assert_eq!(fs::read_to_string(folder.path().join("app.old")).unwrap(), "1");
    }
}
