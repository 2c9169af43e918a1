//! Commands for the local service, completions and manual pages.

use crate::server::nobody;
use crate::shell::{Finished, Shell};

#[test]
fn there_is_nothing_to_back_up_where_no_service_was() {
    let shell = Shell::new(&nobody());
    let backup = Finished::from(shell.command(&["backup", "--to", "backups"]).output().unwrap());
    assert!(backup.error(1).contains("nothing to back up: .spindrift has no database"));
    let restore = Finished::from(shell.command(&["restore", "--from", "backups"]).output().unwrap());
    assert!(restore.error(1).contains("backups is not a complete backup"));
}

#[test]
fn completions_and_manual_pages() {
    let shell = Shell::new(&nobody());
    for name in ["bash", "zsh", "fish", "powershell"] {
        let script = shell.ok(&["completions", name]).stdout;
        assert!(script.contains("publish") && script.contains("changelog-file"), "{name}");
    }
    assert!(shell.ok(&["man"]).stdout.starts_with(".ie"), "roff");
    shell.ok(&["man", "--dir", "pages"]);
    assert!(shell.path("pages/spindrift-publish.1").is_file());
    assert!(shell.path("pages/spindrift-app-create.1").is_file());
    assert!(shell.path("pages/spindrift-up.1").is_file());
}
