//! A killed upload is resumed.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::Shell;

/// Size of the file that is being sent when the process is killed, in bytes.
const LARGE: usize = 96 * 1024 * 1024;

on_hosts! {
    every: [
        a_killed_run_is_resumed,
        an_upload_goes_on_after_its_urls_have_ended,
        an_ended_upload_starts_over,
        other_content_is_another_upload,
    ],
}

/// A shell whose last run was killed after `a.deb` had arrived and before `b.rpm` had.
fn killed(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.write("a.deb", "small").write("b.rpm", vec![3; LARGE]);
    let mut command = shell.command(&arguments());
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let text: Vec<String> = lines.take_while(|line| !line.starts_with("sent a.deb")).collect();
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None, "it was still running: {text:?}");
    assert_eq!(shell.ok(&["releases", "--json"]).json()["total"], 0, "nothing half");
    shell
}

/// Arguments that send one whole file after the other.
fn arguments() -> Vec<&'static str> {
    let one_by_one = ["--publish", "--json", "--parallel", "1", "--part-size", "0", "a.deb", "b.rpm"];
    Shell::publish("1.0.0", &one_by_one)
}

/// Changes the state file of the killed run.
fn change_state(shell: &Shell, change: impl Fn(&mut Value)) {
    let path = state_file(shell);
    let mut state: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    change(&mut state);
    std::fs::write(&path, state.to_string()).unwrap();
}

fn state_file(shell: &Shell) -> PathBuf {
    let entries = std::fs::read_dir(shell.config().join("uploads")).unwrap();
    entries.map(|entry| entry.unwrap().path()).find(|path| path.extension().unwrap() == "json").unwrap()
}

fn a_killed_run_is_resumed(driver: Driver) {
    let world = World::new(driver);
    let shell = killed(&world);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(state_file(&shell)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it holds addresses that can be written to");
    }
    let done = shell.ok(&arguments());
    assert_eq!(done.sent(), ["b.rpm"], "{done:?}");
    assert_eq!(done.json()["resumed"], true);
    assert_eq!(shell.check("0.9")["packages"].as_object().unwrap().len(), 2);
    shell.ok(&["latest", "--app", "notes", "--package", "deb", "--download", "got"]);
    assert_eq!(std::fs::read_to_string(shell.path("got")).unwrap(), "small");
    assert_eq!(std::fs::read_dir(shell.config().join("uploads")).unwrap().count(), 0);
}

fn an_upload_goes_on_after_its_urls_have_ended(driver: Driver) {
    let world = World::new(driver);
    let shell = killed(&world);
    change_state(&shell, |state| {
        let an_hour_ago = std::time::SystemTime::now() - std::time::Duration::from_hours(1);
        let seconds = an_hour_ago.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let time = jiff::Timestamp::from_second(seconds.try_into().unwrap()).unwrap();
        state["expires_at"] = json!(time.to_string());
        state["files"][1]["url"] = json!("http://127.0.0.1:1/ended");
    });
    let done = shell.ok(&arguments());
    assert_eq!(done.sent(), ["b.rpm"], "{done:?}");
    assert_eq!(shell.check("0.9")["packages"].as_object().unwrap().len(), 2);
}

fn an_ended_upload_starts_over(driver: Driver) {
    for (what, change) in [
        ("expired", (|state| state["expires_at"] = json!("2020-01-01T00:00:00+00:00")) as fn(&mut Value)),
        ("refused by the storage", |state| {
            let url = state["files"][1]["url"].as_str().unwrap();
            let (before, signature) = url.split_once("X-Amz-Signature=").unwrap();
            let first = if signature.starts_with('0') { '1' } else { '0' };
            state["files"][1]["url"] = json!(format!("{before}X-Amz-Signature={first}{}", &signature[1..]));
        }),
        ("unknown to the service", |state| {
            state["upload_id"] = json!("01a1fdc0-0000-7000-8000-000000000000");
        }),
        ("damaged", |state| *state = json!("?")),
    ] {
        let world = World::new(driver);
        let shell = killed(&world);
        change_state(&shell, change);
        let done = shell.ok(&arguments());
        assert!(done.sent().contains(&"a.deb"), "{what}: {done:?}");
        assert_eq!(shell.check("0.9")["packages"].as_object().unwrap().len(), 2, "{what}");
    }
}

fn other_content_is_another_upload(driver: Driver) {
    let world = World::new(driver);
    let shell = killed(&world);
    shell.write("a.deb", "other");
    let done = shell.ok(&arguments());
    assert_eq!((done.sent(), &done.json()["resumed"]), (vec!["a.deb", "b.rpm"], &json!(false)));
}
