//! Runs the last step of `action.yml` like GitHub.
#![cfg(unix)]

use std::path::Path;

use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{Finished, PROGRAM, Shell, in_a_day};

on_hosts! {
    every: [the_action_publishes, the_action_publishes_what_other_jobs_have_uploaded],
}

fn the_action_publishes(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let token = shell.ok(&["token", "create", "ci", "--app", "notes"]).stdout;
    shell.write("dist/notes.deb", "one").write("dist/my notes.rpm", "two").write("output", "");
    shell.write("dist/notes.AppImage", "three");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/ci/publish.sh");
    let publish = |version: &str, plan: &str| {
        let mut action = shell.start(script.clone());
        let done = action
            .env("SPINDRIFT_TOKEN", token.trim())
            .env("INPUT_SPINDRIFT", PROGRAM)
            .env("GITHUB_OUTPUT", shell.path("output"))
            .envs([("INPUT_APP", "notes"), ("INPUT_VERSION", version), ("INPUT_CHANNEL", "stable")])
            .envs([("INPUT_PLATFORM", "linux"), ("INPUT_ARCH", "amd64"), ("INPUT_PUBLISH", "true")])
            .envs([
                ("INPUT_FILES", "dist/*.deb\n\n  dist/my notes.rpm \ndist/*.AppImage"),
                ("INPUT_CHANGELOG_FILE", ""),
            ])
            .envs([("INPUT_ZSYNC", "true"), ("INPUT_REBUILD_BLOCK_MAPS", "true")])
            .env("INPUT_PLAN", plan)
            .env("INPUT_GUARD", if plan.is_empty() { "" } else { "halt" })
            .output()
            .unwrap();
        let done = Finished::from(done);
        assert_eq!(done.code, Some(0), "{done:?}");
        done
    };
    let done = publish("v1.0.0", "");
    let output = std::fs::read_to_string(shell.path("output")).unwrap();
    assert_eq!(output, format!("id={}\n", done.json()["id"].as_str().unwrap()));
    let offered = shell.check("0.9");
    assert_eq!(offered["version"], "1.0.0");
    let packages: Vec<&String> = offered["packages"].as_object().unwrap().keys().collect();
    assert_eq!(packages, ["appimage", "deb", "rpm", "zsync"]);

    let _ = publish("v1.1.0", "5:1h,100");
    let shown = shell.ok(&["rollout", "show", "1.1.0", "--app", "notes", "--json"]).json();
    let rollout = &shown["offers"][0]["rollout"];
    assert_eq!((&rollout["state"], &rollout["percent"]), (&"running".into(), &5.into()));
    assert_eq!(shown["offers"][0]["guard"]["on_unhealthy"], "halt");
}

fn the_action_publishes_what_other_jobs_have_uploaded(driver: Driver) {
    let world = World::new(driver);
    let shell = Shell::of_ada(&world);
    let token = |name: &str, may: &str| {
        shell.ok(&["token", "create", name, "--app", "notes", "--may", may]).stdout.trim().to_owned()
    };
    let (upload, publish) = (token("build", "upload"), token("release", "publish"));
    shell.write("notes.deb", "one").write("output", "");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/ci/publish.sh");
    let action = |token: &str, inputs: &[(&str, &str)]| {
        let mut action = shell.start(script.clone());
        action.env("SPINDRIFT_TOKEN", token).env("INPUT_SPINDRIFT", PROGRAM);
        action.envs([("INPUT_APP", "notes"), ("INPUT_VERSION", "v2.0.0")]).envs(inputs.iter().copied());
        Finished::from(action.env("GITHUB_OUTPUT", shell.path("output")).output().unwrap())
    };
    let place = [("INPUT_CHANNEL", "stable"), ("INPUT_PLATFORM", "linux"), ("INPUT_ARCH", "amd64")];
    let files = [("INPUT_COMMAND", "publish"), ("INPUT_FILES", "notes.deb"), ("INPUT_PLAN", "5:1h,100")];
    let done = action(&upload, &[&place[..], &files].concat());
    assert_eq!((done.code, done.json()["requested_publish"].clone()), (Some(0), false.into()), "{done:?}");

    let command = ("INPUT_COMMAND", "release publish");
    let at = in_a_day();
    // The action passes all its inputs, even the empty ones.
    let done = action(
        &publish,
        &[
            command,
            ("INPUT_AT", &at),
            ("INPUT_REASON", "all is built"),
            ("INPUT_PLAN", ""),
            ("INPUT_ROLLOUT", ""),
            ("INPUT_GUARD", "pause"),
            ("INPUT_FILES", ""),
        ],
    );
    assert_eq!(done.code, Some(0), "{done:?}");
    let offer = done.json()["offers"][0].clone();
    assert_eq!((&offer["state"], &offer["publish_at"]), (&"scheduled".into(), &at.as_str().into()));
    assert_eq!(offer["rollout"]["plan"][0]["percent"], 5, "the plan of the draft stays");
    assert_eq!(offer["guard"]["on_unhealthy"], "pause");
    let done = action(&publish, &[command, ("INPUT_PLAN", "10:1h,100")]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(done.json()["offers"][0]["guard"]["on_unhealthy"], "pause", "without one, it stays");
    let output = std::fs::read_to_string(shell.path("output")).unwrap();
    assert!(output.ends_with(&format!("id={}\n", done.json()["id"].as_str().unwrap())), "{output}");
    let shown = shell.ok(&["release", "show", "2.0.0", "--app", "notes"]).stdout;
    assert!(shown.contains("10 %, running\n"), "{shown}");
    for (wrong, text) in [
        (&[("INPUT_COMMAND", "release")][..], "command is `publish` or `release publish`"),
        (&[("INPUT_COMMAND", "publish"), ("INPUT_FILES", "")], "files is required"),
    ] {
        let done = action(&upload, &[&place[..], wrong].concat());
        assert!(done.code == Some(2) && done.stderr.contains(text), "{done:?}");
    }
}
