//! The commands `backup` and `restore`.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::PROGRAM;

/// Makes a backup in a folder of backups. Returns its own folder.
pub(super) fn back_up(state: &Path, to: &Path) -> PathBuf {
    let said = run(&["backup", "--to"], to, state);
    said.lines().next().unwrap().strip_prefix("Backup ").unwrap().into()
}

/// Restores a backup into a state folder without a database. Returns what it says.
pub(super) fn restore(backup: &Path, state: &Path, options: &[&str]) -> String {
    let said = run(&[&["restore"], options, &["--from"]].concat(), backup, state);
    assert!(said.contains("spindrift up"), "{said}");
    said
}

fn run(arguments: &[&str], folder: &Path, state: &Path) -> String {
    let mut program = Command::new(PROGRAM);
    program.args(arguments).arg(folder).arg("--state-dir").arg(state);
    let done = program.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}
