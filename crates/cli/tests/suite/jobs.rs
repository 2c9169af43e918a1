//! CI jobs with minimal rights: one release from several jobs, and a job that stops it.

use serde_json::json;
use spindrift_tests::{Driver, World, on_hosts};

use crate::shell::{Shell, in_a_day};

on_hosts! {
    every: [
        several_jobs_fill_a_draft_and_the_last_one_publishes_it,
        a_job_that_watches_stops_a_release,
        a_stop_token_covers_the_first_steps_of_an_emergency,
    ],
}

/// A token for `notes` with these rights.
fn token(shell: &Shell, may: &str) -> String {
    let name = may.replace(',', "-");
    shell.ok(&["token", "create", &name, "--app", "notes", "--may", may]).stdout.trim().to_owned()
}

fn with_windows(world: &World) -> Shell {
    let shell = Shell::of_ada(world);
    shell.ok(&["platform", "create", "windows"]);
    shell.write("notes.deb", "for linux").write("notes.msi", "for windows");
    shell
}

fn several_jobs_fill_a_draft_and_the_last_one_publishes_it(driver: Driver) {
    let world = World::new(driver);
    let shell = with_windows(&world);
    let (upload, publish) = (token(&shell, "upload"), token(&shell, "publish"));
    let listed = shell.ok(&["token", "list"]).stdout;
    assert!(listed.contains("MAY") && listed.contains("  publish  "), "{listed}");

    for (platform, file) in [("linux", "notes.deb"), ("windows", "notes.msi")] {
        let words = ["publish", "--app", "notes", "--version", "v2.0.0", "--channel", "stable"];
        let done =
            shell.job(&upload, &[&words[..], &["--platform", platform, "--arch", "amd64", file]].concat());
        assert_eq!(done.code, Some(0), "{done:?}");
    }
    let offered = |platform: &str| {
        let words = ["check", "1.0.0", "--owner", "ada", "--app", "notes", "--channel", "stable", "--json"];
        let words = [&words[..], &["--platform", platform, "--arch", "amd64", "--device-id", "d"]].concat();
        shell.ok(&words).json()["version"].clone()
    };
    let release = |token: &str, words: &[&str]| {
        shell.job(token, &[&["release", words[0], "v2.0.0", "--app", "notes"], &words[1..]].concat())
    };
    let _ = release(&upload, &["publish"]).error(4);
    let shown = release(&publish, &["show"]);
    assert!(shown.code == Some(0) && shown.stdout.contains("state        draft\n"), "{shown:?}");
    let done = release(&publish, &["publish", "--at", &in_a_day()]);
    assert!(
        done.code == Some(0) && done.stdout.contains("will be offered to all devices from 2"),
        "{done:?}"
    );
    let taken_back = shell.job(&publish, &["yank", "2.0.0", "--app", "notes"]);
    assert_eq!(taken_back.stdout, "notes 2.0.0 is a draft again, without a time\n", "{taken_back:?}");

    let done =
        release(&publish, &["publish", "--plan", "0:12h,25:1d,100", "--reason", "all builds are there"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.starts_with("notes 2.0.0 is offered to no device; next: 25 % at 2"), "{done:?}");
    let audit = shell.ok(&["audit", "list", "--kind", "release.publish", "--json"]).json();
    let entries = audit["items"].as_array().unwrap();
    assert_eq!(entries.len(), 1, "{audit}");
    assert_eq!(
        (&entries[0]["actor"]["name"], &entries[0]["reason"]),
        (&json!("publish"), &json!("all builds are there"))
    );
    shell.ok(&["rollout", "complete", "2.0.0", "--app", "notes"]);
    assert_eq!((offered("linux"), offered("windows")), (json!("2.0.0"), json!("2.0.0")));

    let _ = shell.job(&publish, &["yank", "2.0.0", "--app", "notes"]).error(4);
    let _ = shell.job(&publish, &["rollout", "halt", "2.0.0", "--app", "notes"]).error(4);
    let unknown = shell.job(&publish, &["release", "publish", "2.0.1", "--app", "notes"]);
    assert_eq!(unknown.error(5), "error: unknown release of notes \"2.0.1\": check the spelling");
}

fn a_job_that_watches_stops_a_release(driver: Driver) {
    let world = World::new(driver);
    let shell = with_windows(&world);
    shell.ok(&Shell::publish("2.0.0", &["--publish", "notes.deb"]));
    let (stop, roll) = (token(&shell, "stop"), token(&shell, "roll"));
    let rollout =
        |token: &str, action: &str| shell.job(token, &["rollout", action, "2.0.0", "--app", "notes"]);
    let explain = [&["explain", "--version", "1.0.0"], &crate::shell::SCOPE[..]].concat();
    assert!(shell.job(&stop, &explain).stdout.contains("is offered 2.0.0"));
    assert_eq!(rollout(&stop, "halt").code, Some(0));
    let _ = rollout(&stop, "resume").error(4);
    assert_eq!((rollout(&stop, "show").code, rollout(&roll, "resume").code), (Some(0), Some(0)));

    let withdraw = ["release", "withdraw", "2.0.0", "--app", "notes", "--reason", "it deletes files"];
    assert_eq!(shell.job(&stop, &withdraw).code, Some(0));
    let _ = shell.job(&roll, &["release", "restore", "2.0.0", "--app", "notes"]).error(4);
    let add = shell.job(&stop, &["shutoff", "add", "--app", "notes", "--reason", "crashes", "--json"]).json();
    assert_eq!(add["created_by"], "stop");
    let list = shell.job(&stop, &["shutoff", "list"]);
    assert!(list.code == Some(0) && list.stdout.contains("crashes"), "{list:?}");
    let id = add["id"].as_str().unwrap();
    let _ = shell.job(&roll, &["shutoff", "lift", id]).error(4);
    shell.ok(&["shutoff", "lift", id]);
}

/// The commands in steps 1 and 2 of `docs/bad-release.md`: in tables, and at the start of lines.
fn emergency_commands() -> Vec<Vec<String>> {
    let page = include_str!("../../../../docs/bad-release.md");
    let (_, steps) = page.split_once("\n## 1. ").unwrap();
    let steps = steps.split("\n## 3. ").next().unwrap().split("With a login").next().unwrap();
    let is_command = |text: &&str| text.starts_with("spindrift ");
    let inline = steps.split('`').skip(1).step_by(2).filter(is_command);
    let words = |line: &str| {
        let parts = line.split('"').enumerate();
        let words = parts.flat_map(|(place, part)| match place % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.skip(1).collect()
    };
    steps.lines().filter(is_command).chain(inline).map(words).collect()
}

fn a_stop_token_covers_the_first_steps_of_an_emergency(driver: Driver) {
    let world = World::new(driver);
    let shell = with_windows(&world);
    shell.ok(&Shell::publish("2.0", &["--publish", "notes.deb"]));
    let stop = token(&shell, "stop");
    let commands = emergency_commands();
    let run = |name: &str| commands.iter().any(|words| words.join(" ").starts_with(name));
    for name in ["rollout halt", "release withdraw", "shutoff add", "rollout health", "release show"] {
        assert!(run(name), "{name} is not among {commands:?}");
    }
    for words in &commands {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let done = shell.job(&stop, &words);
        assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    }
}
