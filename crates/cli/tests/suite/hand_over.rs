//! `up`, `demo`, completions and manual pages.

use crate::server::nobody;
use crate::shell::{Done, Shell};

#[cfg(unix)]
#[test]
fn the_host_gets_command_and_arguments() {
    use std::os::unix::fs::PermissionsExt as _;

    let shell = Shell::new(&nobody());
    shell.write("host", "#!/bin/sh\necho \"$@\"\nexit 7\n");
    std::fs::set_permissions(shell.path("host"), std::fs::Permissions::from_mode(0o755)).unwrap();
    for (arguments, told) in [
        (&["up", "--", "--listen", "127.0.0.1:1"][..], "up --listen 127.0.0.1:1\n"),
        (&["demo", "--", "--no-build"], "demo --no-build\n"),
    ] {
        let mut command = shell.command(arguments);
        let done = Done::from(command.env("SPINDRIFT_HOST_BIN", shell.path("host")).output().unwrap());
        assert_eq!((done.code, done.stdout.as_str()), (Some(7), told));
    }
}

#[test]
fn a_missing_host_is_told() {
    let shell = Shell::new(&nobody());
    let mut command = shell.command(&["up"]);
    let done = Done::from(command.env("SPINDRIFT_HOST_BIN", shell.path("nowhere")).output().unwrap());
    assert!(done.error(2).contains("SPINDRIFT_HOST_BIN"));
    // The copy has no other program next to it.
    std::fs::copy(crate::shell::PROGRAM, shell.path("spindrift-copy")).unwrap();
    let mut alone = shell.start(shell.path("spindrift-copy"));
    let done = Done::from(alone.arg("demo").env("PATH", "").output().unwrap());
    assert!(done.error(5).contains("cargo build --release -p spindrift-host"));
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
}
