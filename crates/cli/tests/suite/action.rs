//! The last step of `action.yml`, as GitHub runs it.
#![cfg(unix)]

use std::path::Path;

use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{Done, PROGRAM, Shell};

on_hosts! {
    every: [the_action_publishes],
}

fn the_action_publishes(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    shell.write("dist/notes.deb", "one").write("dist/my notes.rpm", "two").write("output", "");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/ci/publish.sh");
    let publish = |version: &str, plan: &str| {
        let mut action = shell.start(script.clone());
        let done = action
            .env("SPINDRIFT_TOKEN", token.trim())
            .env("INPUT_SPINDRIFT", PROGRAM)
            .env("GITHUB_OUTPUT", shell.path("output"))
            .envs([("INPUT_APP", "notes"), ("INPUT_VERSION", version), ("INPUT_CHANNEL", "stable")])
            .envs([("INPUT_PLATFORM", "linux"), ("INPUT_ARCH", "amd64"), ("INPUT_PUBLISH", "true")])
            .envs([("INPUT_FILES", "dist/*.deb\n\n  dist/my notes.rpm \n"), ("INPUT_CHANGELOG_FILE", "")])
            .env("INPUT_PLAN", plan)
            .output()
            .unwrap();
        let done = Done::from(done);
        assert_eq!(done.code, Some(0), "{done:?}");
        done
    };
    let done = publish("v1.0.0", "");
    let output = std::fs::read_to_string(shell.path("output")).unwrap();
    assert_eq!(output, format!("id={}\n", done.json()["id"].as_str().unwrap()));
    let offered = shell.check("0.9");
    assert_eq!((&offered["version"], offered["packages"].as_object().unwrap().len()), (&"1.0.0".into(), 2));

    let _ = publish("v1.1.0", "5:1h,100");
    let shown = shell.ok(&["rollout", "show", "1.1.0", "--app", "notes", "--json"]).json();
    let rollout = &shown["offers"][0]["rollout"];
    assert_eq!((&rollout["state"], &rollout["percent"]), (&"running".into(), &5.into()));
}
