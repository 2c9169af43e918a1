//! `spindrift.toml` and the environment supply values for omitted flags.

use spindrift_tests::{Driver, World, on_hosts};

use crate::server::nobody;
use crate::shell::{Finished, Shell};

on_hosts! {
    every: [a_project_says_where_it_belongs],
}

fn a_project_says_where_it_belongs(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    shell.ok(&["channel", "create", "beta"]);
    let file = format!(
        "url = \"{}\"\napp = \"notes\"\nchannel = \"stable\"\nplatform = \"linux\"\narch = \"amd64\"\n",
        world.url().trim_start_matches("http://")
    );
    shell.write("project/spindrift.toml", file).write("project/notes.deb", "content");
    let run = |arguments: &[&str], environment: &[(&str, &str)]| {
        let mut command = shell.command(arguments);
        command
            .current_dir(shell.path("project"))
            .env_remove("SPINDRIFT_URL")
            .envs(environment.iter().copied());
        Finished::from(command.output().unwrap())
    };
    let publish = |version: &str, rest: &[&str], environment: &[(&str, &str)]| {
        let done =
            run(&[&["publish", "--version", version, "--publish", "notes.deb"], rest].concat(), environment);
        assert_eq!(done.code, Some(0), "{done:?}");
    };
    publish("1.0.0", &[], &[]);
    publish("1.1.0", &[], &[("SPINDRIFT_CHANNEL", "beta")]);
    publish("1.2.0", &["--channel", "beta"], &[("SPINDRIFT_CHANNEL", "stable")]);

    assert!(run(&["check", "0.9"], &[]).stdout.starts_with("1.0.0 is available"));
    assert!(run(&["latest", "--channel", "beta"], &[]).stdout.contains("notes-1.2.0.deb"));
    let all = run(&["release", "list"], &[]).stdout;
    assert_eq!(all.matches("notes").count(), 3, "lists show all channels: {all}");
    assert!(run(&["publish", "--help"], &[]).stdout.contains("[default: stable]"));
}

#[test]
fn a_wrong_file_is_named() {
    let shell = Shell::new(&nobody());
    shell.write("spindrift.toml", "app = \"notes\"\nchanel = \"stable\"\n");
    let done = shell.run(&["check", "1.0"]);
    assert!(done.error(2).contains("spindrift.toml, line 2: "), "{done:?}");
}
